package process

// Liveness is what can be said of a recorded process.
type Liveness string

const (
	// Alive is proved: boot, namespace, pid and start time all match and it is no zombie. It keeps its place.
	Alive Liveness = "alive"
	// Dead is proved: the process cannot run any more. Whoever settles may free its place.
	Dead Liveness = "dead"
	// Unknown is not proved either way. It keeps its place, is never signalled, and a person or a later look decides.
	Unknown Liveness = "unknown"
)

// Here is where a look is taken from: one boot of one kernel, one pid namespace.
type Here struct {
	BootID       string
	PIDNamespace uint64
}

// Rebooted reports whether id was recorded before this machine's present start. Such a process is Dead, and the reason
// is the machine, not the process ("interrupted (host restarted)"). The zero Identity was never recorded.
func (h Here) Rebooted(id Identity) bool {
	return id.BootID != "" && id.BootID != h.BootID
}

// Judge decides whether id lives, from what the process table says of its pid now (LIV-1). There being no process at
// that pid is found == nil. It is pure.
func (h Here) Judge(id Identity, found *Entry) Liveness {
	if id.IsZero() {
		return Unknown
	}
	if h.Rebooted(id) {
		return Dead
	}
	if id.PIDNamespace != h.PIDNamespace {
		return Unknown
	}
	if found == nil || found.Zombie || found.ID.StartTime != id.StartTime {
		return Dead
	}
	return Alive
}
