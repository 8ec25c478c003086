package board

import (
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"github.com/seed-2ddc2152/board/workflows"
)

// Wait is how long a card waits after a failure, the nth in a row (RET-2): exponential up to the maximum, spread by the
// jitter. The spread is a hash of the run, not a dice, so that every process and every dry run finds the same (DSP-1).
func Wait(b workflows.Backoff, nth int, run int64) time.Duration {
	wait := float64(b.First) * math.Pow(b.Factor, float64(max(nth, 1)-1))
	if b.Max > 0 {
		wait = min(wait, float64(b.Max))
	}
	h := fnv.New32a()
	h.Write([]byte(strconv.FormatInt(run, 10)))
	spread := float64(h.Sum32())/float64(math.MaxUint32)*2 - 1 // -1 to 1
	return time.Duration(wait * (1 + b.Jitter*spread)).Truncate(time.Millisecond)
}
