package harness

// SeedFormat is the syntax of a seeded file.
type SeedFormat string

// The formats.
const (
	SeedJSON SeedFormat = "json" // an object, merged key by key; lists of strings are united
	SeedTOML SeedFormat = "toml" // a table appended unless its header is there
)

// Seed is a change to a configuration file of the CLI that keeps trust and onboarding screens away (PAN-3). The caller
// reads the file, applies the seed, and replaces the file by rename under a lock; an absent file is read as empty.
type Seed struct {
	Path   string // absolute
	Format SeedFormat
	JSON   map[string]any    // SeedJSON: what must be in the object
	Table  string            // SeedTOML: the header line, with its brackets
	Keys   map[string]string // SeedTOML: key -> value as TOML text
}

// Apply returns existing with the seed in it, and whether that differs from existing. It fails when existing is not
// readable in its format: a file that a person may have broken is not replaced.
func (s Seed) Apply(existing []byte) (content []byte, changed bool, err error) {
	return existing, false, nil
}
