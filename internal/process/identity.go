package process

import (
	"fmt"
	"strconv"
	"strings"
)

// Identity names one process for good: no other process of any machine, boot or pid namespace has the same.
//
// The zero Identity names nobody.
type Identity struct {
	BootID       string // of the kernel's present start; "" only in the zero Identity
	PIDNamespace uint64 // inode of /proc/self/ns/pid; 0 where the system has no pid namespaces
	PID          int
	StartTime    uint64 // clock ticks after boot on Linux, microseconds of Unix time on macOS; survives exec
	PGID         int    // process group when the identity was taken; not part of the proof, a process may change it
}

// IsZero reports whether id names nobody.
func (id Identity) IsZero() bool { return id == Identity{} }

// Same reports whether id and other name one process, whatever group it has moved to.
func (id Identity) Same(other Identity) bool {
	id.PGID, other.PGID = 0, 0
	return id == other
}

// String returns the one text form, "boot/namespace/pid/start/pgid", and "" for the zero Identity.
// ParseIdentity reads it back.
func (id Identity) String() string {
	if id.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s/%d/%d/%d/%d", id.BootID, id.PIDNamespace, id.PID, id.StartTime, id.PGID)
}

// MarshalText makes an Identity one string in JSON and SQL alike.
func (id Identity) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *Identity) UnmarshalText(text []byte) error {
	parsed, err := ParseIdentity(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// ParseIdentity reads the text form of an Identity; "" is the zero Identity.
func ParseIdentity(text string) (Identity, error) {
	if text == "" {
		return Identity{}, nil
	}
	fields := strings.Split(text, "/")
	if len(fields) != 5 || fields[0] == "" {
		return Identity{}, fmt.Errorf("read process identity %q: want boot/namespace/pid/start/pgid", text)
	}
	namespace, errNamespace := strconv.ParseUint(fields[1], 10, 64)
	pid, errPID := strconv.Atoi(fields[2])
	start, errStart := strconv.ParseUint(fields[3], 10, 64)
	pgid, errPGID := strconv.Atoi(fields[4])
	for _, err := range []error{errNamespace, errPID, errStart, errPGID} {
		if err != nil {
			return Identity{}, fmt.Errorf("read process identity %q: %w", text, err)
		}
	}
	if pid <= 0 || pgid < 0 {
		return Identity{}, fmt.Errorf("read process identity %q: pid and group must be positive", text)
	}
	return Identity{BootID: fields[0], PIDNamespace: namespace, PID: pid, StartTime: start, PGID: pgid}, nil
}
