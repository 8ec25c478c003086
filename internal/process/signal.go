package process

import (
	"errors"
	"fmt"
	"syscall"
)

// Signal sends sig to exactly this process. It fails with ErrGone when the process is proved dead, and with
// ErrUnverified when it cannot be proved to be the one: then nothing was signalled. TERM also makes a stopped process go
// on, since until then it would not act on it.
func (t *Table) Signal(id Identity, sig syscall.Signal) error {
	if err := t.send(id, sig, onlyProcess); err != nil {
		return fmt.Errorf("signal process %d with %v: %w", id.PID, sig, err)
	}
	return nil
}

// SignalGroup sends sig to the process group that this process leads. The leader must still be there, as a zombie at
// least: while it is, no other group can have its number. Otherwise ErrGone: signal the members by FindByEnv. TERM makes
// those that are stopped go on.
func (t *Table) SignalGroup(id Identity, sig syscall.Signal) error {
	if err := t.send(id, sig, wholeGroup); err != nil {
		return fmt.Errorf("signal process group %d with %v: %w", id.PID, sig, err)
	}
	return nil
}

// SignalAll sends sig to each entry and returns those that could not be signalled though they are there. An entry that
// is gone is what the caller wanted.
func (t *Table) SignalAll(entries []Entry, sig syscall.Signal) (refused []Entry) {
	for _, entry := range entries {
		if err := t.Signal(entry.ID, sig); err != nil && !errors.Is(err, ErrGone) {
			refused = append(refused, entry)
		}
	}
	return refused
}

// reach is how far a signal goes.
type reach int

const (
	onlyProcess reach = iota
	wholeGroup
)

// send signals, and lets what is stopped act on a TERM.
func (t *Table) send(id Identity, sig syscall.Signal, how reach) error {
	if err := t.signal(id, sig, how); err != nil || sig != syscall.SIGTERM {
		return err
	}
	if err := t.signal(id, syscall.SIGCONT, how); err != nil && !errors.Is(err, ErrGone) {
		return err
	}
	return nil
}

// prove fails unless the table shows id, in this very moment, as a process that may be signalled with this reach.
func (t *Table) prove(id Identity, how reach) error {
	if id.IsZero() || id.PID <= 1 {
		return ErrUnverified
	}
	if t.here.Rebooted(id) {
		return ErrGone
	}
	if id.PIDNamespace != t.here.PIDNamespace {
		return ErrUnverified
	}
	found, err := readEntry(id.PID)
	if errors.Is(err, ErrGone) {
		return ErrGone
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnverified, err)
	}
	if found.ID.StartTime != id.StartTime || (found.Zombie && how == onlyProcess) {
		return ErrGone
	}
	if how == wholeGroup && found.ID.PGID != id.PID {
		return fmt.Errorf("%w: it leads no group", ErrUnverified)
	}
	return nil
}
