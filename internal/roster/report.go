package roster

// Standing is one executor as `board roster` shows it (ROS-12).
type Standing struct {
	Executor
	Use    Use
	Out    *Out    // nil: in the round
	Leases []Lease // borrowed ones included
}

// Report returns the standing of each executor, in the roster's order.
func (s State) Report() []Standing {
	list := make([]Standing, 0, len(s.Executors))
	for _, e := range s.Executors {
		standing := Standing{Executor: e, Use: s.UseOf(e)}
		if out, ok := s.OutOf(e); ok {
			standing.Out = &out
		}
		for _, l := range s.Leases {
			if l.Executor == e.ID {
				standing.Leases = append(standing.Leases, l)
			}
		}
		list = append(list, standing)
	}
	return list
}
