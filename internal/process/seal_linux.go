package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// firstDescriptor is the first after standard input, output and error.
const firstDescriptor = 3

// seal keeps descriptors that this process inherited without knowing them (a lock of the crontab line, say) from what
// it starts, which may live for hours. Those of its own are sealed by Go. A kernel without close_range(2), before 5.11,
// passes them on.
func seal() {
	_ = unix.CloseRange(firstDescriptor, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}
