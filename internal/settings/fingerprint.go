package settings

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// Fingerprint identifies what an executor is at present: its entry, the program that it runs, and the files of its sign-in,
// of which only size and time count. An exclusion of kind config ends when it changes.
func (s *Settings) Fingerprint(e roster.Executor) string {
	evidence := []string{s.program(e)}
	for _, path := range s.credentialFiles(e) {
		evidence = append(evidence, evidenceOf(path))
	}
	return e.Fingerprint(evidence...)
}

// program is what an executor runs, as evidence; "missing" where there is nothing.
func (s *Settings) program(e roster.Executor) string {
	name := cmp.Or(e.Bin, e.Harness)
	if h, ok := harness.Lookup(e.Harness); ok && e.Bin == "" {
		name = h.Facts().Binary
	}
	if len(e.Command) > 0 {
		name = e.Command[0]
	}
	if filepath.IsAbs(name) {
		return evidenceOf(name)
	}
	if s.opts.LookPath == nil {
		return missing
	}
	path, err := s.opts.LookPath(name)
	if err != nil {
		return missing
	}
	return evidenceOf(path)
}

// credentialFiles are where the CLI that a run of the executor starts keeps its sign-in.
func (s *Settings) credentialFiles(e roster.Executor) []string {
	h, ok := harness.Lookup(e.Harness)
	if !ok {
		return nil
	}
	names := append([]string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}, h.Facts().Inherit...)
	var environ []string
	for _, name := range names {
		if value, ok := s.opts.Env(name); ok {
			environ = append(environ, name+"="+value)
		}
	}
	userHome := ""
	if s.opts.UserHome != nil {
		userHome, _ = s.opts.UserHome() // unknown: the files are then nowhere, and no evidence
	}
	env := h.Facts().Inherited(environ, userHome)
	maps.Copy(env, e.Env)
	return harness.CredentialFiles(e.Harness, harness.Job{Home: env["HOME"], Env: env})
}

const missing = "missing"

// evidenceOf is the path, size and time of a file.
func evidenceOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return missing
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}
