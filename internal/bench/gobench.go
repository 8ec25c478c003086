package bench

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Metrics is what one Go benchmark reported, by unit.
type Metrics map[string]float64

// processors is the "-8" that go test puts behind a benchmark's name where it runs on more than one.
var processors = regexp.MustCompile(`-\d+$`)

// ParseGoBench reads the output of `go test -bench` and returns the metrics of each benchmark, by its name without
// "Benchmark" and the number of processors. Lines of another form are passed over; of several runs the last counts.
func ParseGoBench(r io.Reader) (map[string]Metrics, error) {
	found := map[string]Metrics{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, isBenchmark := strings.CutPrefix(lines.Text(), "Benchmark")
		fields := strings.Fields(name)
		if !isBenchmark || len(fields) < 4 || len(fields)%2 != 0 {
			continue
		}
		metrics := Metrics{}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				metrics = nil
				break
			}
			metrics[fields[i+1]] = value
		}
		if metrics != nil {
			found[processors.ReplaceAllString(fields[0], "")] = metrics
		}
	}
	return found, lines.Err()
}
