package hostinfo

// memory is what a kernel says of memory, in bytes. A total of 0 is unknown.
type memory struct {
	total, available    int64
	swapTotal, swapFree int64
}

// limit is a control group's share of memory, in bytes. bytes == 0 is no limit.
type limit struct {
	bytes, used int64
}

// stall is the share of the last ten seconds in which work waited for memory, in percent.
type stall struct {
	some float64 // at least one task
	full float64 // every task
}

// Chosen: work that waits a tenth of the time feels slow to a person, and adding sessions makes it worse; when every
// task waits a tenth of the time, memory is being thrashed.
const (
	someElevated = 10.0
	fullCritical = 10.0
)

// narrower returns the smaller of two limits.
func (l limit) narrower(other limit) limit {
	if l.bytes == 0 || (other.bytes != 0 && other.bytes < l.bytes) {
		return other
	}
	return l
}

// within narrows what the machine has to what a control group may use. A limited group is taken to have no swap: how
// much of the machine's it may use is another limit, and counting it would promise too much.
func (m memory) within(group limit) memory {
	if group.bytes == 0 {
		return m
	}
	return memory{total: group.bytes, available: min(m.available, max(group.bytes-group.used, 0))}
}

// pressure judges memory by what is available, swap included, and by the kernel's own figure, whichever is worse.
func (m memory) pressure(waiting stall) (pressure MemoryPressure, known bool) {
	all, left := m.total+m.swapTotal, m.available+m.swapFree
	switch {
	case m.total == 0:
		return Low, false
	case left*10 < all || waiting.full >= fullCritical:
		return Critical, true
	case left*5 < all || waiting.some >= someElevated:
		return Elevated, true
	}
	return Low, true
}
