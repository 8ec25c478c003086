package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var (
	// ErrGone says that the process is proved dead: there is nobody to look at or to signal.
	ErrGone = errors.New("process is gone")
	// ErrUnverified says that the identity cannot be proved, so nothing was signalled.
	ErrUnverified = errors.New("process cannot be verified")
)

// Entry is one process as the table shows it at one moment.
type Entry struct {
	ID      Identity
	Parent  int    // pid
	Zombie  bool   // it has ended and its parent has not asked how
	Command string // the kernel's short name of it: at most 15 bytes on Linux, for people only
}

// Prober is what deciding code needs of the process table. *Table is the real one.
type Prober interface {
	// Check says whether the process lives. It never signals.
	Check(id Identity) Liveness
	// Rebooted reports whether the process was recorded before this machine's present start.
	Rebooted(id Identity) bool
	// FindByEnv returns the living processes that were started with key=value in their environment, by pid.
	FindByEnv(key, value string) []Entry
	// Members returns the living processes of a tree, by pid.
	Members(tree Tree) []Entry
	// Signal sends sig to exactly this process, or fails with ErrGone or ErrUnverified.
	Signal(id Identity, sig syscall.Signal) error
}

// Table is the process table of this machine. It holds no state but where it stands, and may be used by many
// goroutines.
type Table struct {
	here Here
}

// Open reads which boot and which pid namespace this is. It fails where the system does not tell (no /proc).
func Open() (*Table, error) {
	here, err := readHere()
	if err != nil {
		return nil, fmt.Errorf("open process table: %w", err)
	}
	return &Table{here: here}, nil
}

// Here returns the boot and the namespace that identities are judged against.
func (t *Table) Here() Here { return t.here }

// Self returns the identity of the calling process.
func (t *Table) Self() (Identity, error) { return t.Of(os.Getpid()) }

// Of returns the identity of the process that has pid now, zombie or not. There is none: ErrGone.
func (t *Table) Of(pid int) (Identity, error) {
	entry, err := t.Entry(pid)
	return entry.ID, err
}

// Entry returns what the table shows of pid now. There is no such process: ErrGone.
func (t *Table) Entry(pid int) (Entry, error) {
	if pid <= 0 {
		return Entry{}, fmt.Errorf("look up process %d: %w", pid, ErrGone)
	}
	entry, err := readEntry(pid)
	if err != nil {
		return Entry{}, fmt.Errorf("look up process %d: %w", pid, err)
	}
	entry.ID.BootID, entry.ID.PIDNamespace = t.here.BootID, t.here.PIDNamespace
	return entry, nil
}

// Check says whether the process lives (LIV-1). A table that cannot be read gives Unknown.
func (t *Table) Check(id Identity) Liveness {
	if id.IsZero() || id.BootID != t.here.BootID || id.PIDNamespace != t.here.PIDNamespace {
		return t.here.Judge(id, nil)
	}
	found, err := readEntry(id.PID)
	if errors.Is(err, ErrGone) {
		return t.here.Judge(id, nil)
	}
	if err != nil {
		return Unknown
	}
	return t.here.Judge(id, &found)
}

// Rebooted reports whether id was recorded before this machine's present start.
func (t *Table) Rebooted(id Identity) bool { return t.here.Rebooted(id) }

// List returns every process that this user can see, zombies included, by pid. Processes that end while it reads are
// left out. A table that cannot be read is empty.
func (t *Table) List() []Entry {
	entries := make([]Entry, 0, 256)
	for _, pid := range listPIDs() {
		entry, err := t.Entry(pid)
		if err == nil {
			entries = append(entries, entry)
		}
	}
	return entries
}
