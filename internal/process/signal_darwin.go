package process

import "syscall"

func (t *Table) signal(id Identity, sig syscall.Signal, how reach) error {
	if err := t.prove(id, how); err != nil {
		return err
	}
	return killProved(id, sig, how)
}
