package roster

import "slices"

// Seen is what this moment's observation found out about executors.
type Seen struct {
	Fingerprints map[string]string // by executor, with its evidence; absent: not looked at
	Health       map[string]Probe  // by executor; absent: not probed
}

// Probe is a health URL's answer.
type Probe struct {
	OK   bool   // it answered 2xx in time
	Text string // what it answered, for a reason
}

// Refreshed is what passed or appeared since the state was stored.
type Refreshed struct {
	State   State       // with the rest applied
	Dropped []Exclusion // to be deleted
	Resumed []Pause     // to be deleted: their time passed
	Added   []Exclusion // to be stored: probes that failed
	Back    []Back      // one event each, in the roster's order
}

// Back is an executor that is in the round again.
type Back struct {
	Executor string
	Text     string
}

// Refresh drops exclusions and pauses that have passed, adds those of failed probes, and names who is back in the round
// (ROS-9). It is the same function for a tick and for a dry run.
func (s State) Refresh(seen Seen) Refreshed {
	r := Refreshed{State: s}
	r.State.Exclusions, r.State.Pauses = nil, nil
	for _, x := range s.Exclusions {
		if s.passed(x, seen) {
			r.Dropped = append(r.Dropped, x)
			continue
		}
		r.State.Exclusions = append(r.State.Exclusions, x)
	}
	for _, p := range s.Pauses {
		if p.Over(s.Now) {
			r.Resumed = append(r.Resumed, p)
			continue
		}
		r.State.Pauses = append(r.State.Pauses, p)
	}
	r.addUnhealthy(seen)
	r.nameBack()
	return r
}

// passed reports whether an exclusion has ended. One whose executor is not in the roster is kept until its time: a tick
// may run with a narrowed roster.
func (s State) passed(x Exclusion, seen Seen) bool {
	switch x.Kind {
	case KindUntil:
		return x.Over(s.Now)
	case KindHealth:
		e, ok := s.executor(x.Executor)
		return seen.Health[x.Executor].OK || ok && e.Health == ""
	case KindConfig:
		found, looked := seen.Fingerprints[x.Executor]
		return looked && found != x.Fingerprint
	}
	return false
}

func (s State) executor(id string) (Executor, bool) {
	return Roster{Executors: s.Executors}.Find(id)
}

// addUnhealthy excludes executors in the round whose probe failed.
func (r *Refreshed) addUnhealthy(seen Seen) {
	for _, e := range r.State.Executors {
		probe, probed := seen.Health[e.ID]
		if !probed || probe.OK {
			continue
		}
		x := Exclusion{
			Executor: e.ID, Kind: KindHealth, NextProbe: r.State.Now.Add(ProbeEvery),
			Reason: withReason("its health URL "+e.Health+" does not answer", oneLine(probe.Text)),
		}
		if _, add := Record(r.State.Exclusions, x); add {
			r.Added = append(r.Added, x)
			r.State.Exclusions = append(r.State.Exclusions, x)
		}
	}
}

// nameBack names the executors that something dropped was about, and that nothing keeps out.
func (r *Refreshed) nameBack() {
	for _, e := range r.State.Executors {
		reason, was := r.endedOf(e)
		if _, out := r.State.OutOf(e); was && !out {
			r.Back = append(r.Back, Back{Executor: e.ID, Text: withReason(e.ID+" is back in the round; it was out", reason)})
		}
	}
}

func (r *Refreshed) endedOf(e Executor) (reason string, was bool) {
	if at := slices.IndexFunc(r.Dropped, func(x Exclusion) bool { return x.Covers(e) }); at >= 0 {
		return r.Dropped[at].Reason, true
	}
	if at := slices.IndexFunc(r.Resumed, func(p Pause) bool { return p.Executor == e.ID }); at >= 0 {
		return r.Resumed[at].Reason, true
	}
	return "", false
}

// Probes lists the executors whose health URL is to be asked in this tick: those that it keeps out, and those in the
// round, before their first lease.
func (s State) Probes() []Executor {
	var list []Executor
	for _, e := range s.Executors {
		out, isOut := s.OutOf(e)
		if e.Health != "" && (!isOut || out.Code == RefusedUnhealthy) {
			list = append(list, e)
		}
	}
	return list
}

// Resume lists the rows that resuming an executor by hand deletes: its pauses and its exclusions of any kind, those that
// it shares with its account included (ROS-10).
func (s State) Resume(e Executor) (pauses []Pause, exclusions []Exclusion) {
	for _, p := range s.Pauses {
		if p.Executor == e.ID {
			pauses = append(pauses, p)
		}
	}
	for _, x := range s.Exclusions {
		if x.Covers(e) {
			exclusions = append(exclusions, x)
		}
	}
	return pauses, exclusions
}
