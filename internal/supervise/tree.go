package supervise

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/worker"
)

const (
	treePoll    = 50 * time.Millisecond // between looks at a tree that is being ended
	stuckPoll   = time.Second           // once KILL did not help
	commandSize = 15                    // bytes of a command's name that Linux keeps
)

// alive lists what the session has started and what lives of it: by the launch key, below the harness, below this process (to
// which orphans come), and what was seen to belong to it before. What `keep` names is left out.
func (x *session) alive(keep []string) []process.Entry {
	tree := process.Tree{Root: x.root, EnvKey: worker.EnvLaunchKey, EnvValue: x.key}
	found := append(x.table.Members(tree), x.below()...)
	for _, id := range x.remembered {
		if x.table.Check(id) != process.Alive {
			continue
		}
		if entry, err := x.table.Entry(id.PID); err == nil {
			found = append(found, entry)
		}
	}
	slices.SortFunc(found, func(a, b process.Entry) int { return a.ID.PID - b.ID.PID })
	found = slices.CompactFunc(found, func(a, b process.Entry) bool { return a.ID.PID == b.ID.PID })
	return slices.DeleteFunc(found, func(e process.Entry) bool {
		return e.Zombie || e.ID.Same(x.self) || (kept(e, keep) && !e.ID.Same(x.root))
	})
}

// below are the processes below this one that are the session's. A tick that a kept session pokes is below it as well, and so
// is every supervisor which that tick starts, since orphans come to a subreaper: those are other sessions' affair.
func (x *session) below() []process.Entry {
	all := x.table.Descendants(x.self.PID)
	foreign := map[int]bool{}
	for _, entries := range x.table.FindAllByEnv(pokedEnv) {
		for _, e := range entries {
			foreign[e.ID.PID] = true
		}
	}
	for key, entries := range x.table.FindAllByEnv(worker.EnvLaunchKey) {
		for _, e := range entries {
			foreign[e.ID.PID] = foreign[e.ID.PID] || key != x.key
		}
	}
	parent := map[int]int{}
	for _, e := range all {
		parent[e.ID.PID] = e.Parent
	}
	return slices.DeleteFunc(all, func(e process.Entry) bool {
		for pid, inside := e.ID.PID, true; inside; pid, inside = parent[pid], parent[pid] != x.self.PID && parent[pid] != 0 {
			if foreign[pid] {
				return true
			}
		}
		return false
	})
}

// remember notes what belongs to the session, so that it is found where neither environment nor parent tell it any more.
func (x *session) remember() {
	found := x.alive(nil)
	clear(x.remembered)
	for _, e := range found {
		x.remembered[e.ID.String()] = e.ID
	}
}

// kept says whether a process may outlive the run.
func kept(e process.Entry, keep []string) bool {
	return slices.ContainsFunc(keep, func(pattern string) bool {
		if len(pattern) > commandSize {
			pattern = pattern[:commandSize]
		}
		ok, err := path.Match(pattern, e.Command)
		return err == nil && ok
	})
}

// endTree ends everything that the session started: TERM, 10 s, KILL. It returns when all is proved gone, and not before: what
// survives KILL keeps its place (SUP-3, LIV-3). It names what was still there when the harness itself had gone (SUP-5).
func (x *session) endTree(keep []string, stuck func(left []process.Entry)) (killed []string) {
	began := x.Clock.Now()
	var killedAt time.Time
	termed := false
	reported := false
	wait := treePoll
	for {
		x.reaper.Reap()
		left := x.alive(keep)
		if len(left) == 0 {
			x.reaper.Reap() // what has ended just now is not left to process 1, which may bury nobody (fault 21)
			return killed
		}
		if x.root.IsZero() || x.table.Check(x.root) == process.Dead {
			killed = named(killed, left)
		}
		now := x.Clock.Now()
		switch {
		case !termed:
			x.signal(left, syscall.SIGTERM)
			termed = true
		case now.Sub(began) >= killGrace && now.Sub(killedAt) >= stuckPoll:
			x.signal(left, syscall.SIGKILL)
			if killedAt.IsZero() {
				began = now
			}
			killedAt = now
		}
		if !killedAt.IsZero() && !reported && now.Sub(began) >= killGrace {
			reported, wait = true, stuckPoll
			stuck(left)
		}
		<-x.Clock.After(wait)
	}
}

// signal reaches the harness's group at once, and by itself each process that has left it. KILL is sent to both, since a
// group changes while it is signalled.
func (x *session) signal(left []process.Entry, sig syscall.Signal) {
	reached := false
	if !x.root.IsZero() {
		err := x.table.SignalGroup(x.root, sig)
		if err != nil && !errors.Is(err, process.ErrGone) {
			x.say("signal the group of %d: %v", x.root.PID, err)
		}
		reached = err == nil && sig == syscall.SIGTERM
	}
	x.table.SignalAll(slices.DeleteFunc(slices.Clone(left), func(e process.Entry) bool {
		return reached && e.ID.PGID == x.root.PID
	}), sig)
}

// named adds processes to a list for people, each once.
func named(names []string, entries []process.Entry) []string {
	for _, e := range entries {
		name := fmt.Sprintf("%s (pid %d)", e.Command, e.ID.PID)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
