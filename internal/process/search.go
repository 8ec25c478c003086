package process

import (
	"os"
	"slices"
	"sort"
)

// Tree says which processes belong to one session. The zero Tree has no members.
type Tree struct {
	Root     Identity // it, what descends from it and, while it is there to prove it, its process group; zero: nobody
	EnvKey   string   // with EnvValue: every process started with that in its environment; "": not searched
	EnvValue string
	Except   []int // pids that are not members, whatever else holds; the calling process never is one
}

// FindByEnv returns the living processes that were started with key=value in their environment, by pid. It is how what
// left its group and its parent is found (SUP-5). Processes of other users cannot be read and are not found.
func (t *Table) FindByEnv(key, value string) []Entry {
	return t.FindAllByEnv(key)[value]
}

// FindAllByEnv is FindByEnv for every value of key in one look: a tick asks once for all its launch keys.
func (t *Table) FindAllByEnv(key string) map[string][]Entry {
	found := map[string][]Entry{}
	for _, pid := range listPIDs() {
		value, ok := readEnv(pid, key)
		if !ok {
			continue
		}
		entry, err := t.Entry(pid)
		if err != nil || entry.Zombie {
			continue
		}
		found[value] = append(found[value], entry)
	}
	return found
}

// Descendants returns the living processes below pid, itself left out, by pid. Children that were adopted by another
// process are no longer below it; see FindByEnv.
func (t *Table) Descendants(pid int) []Entry {
	return living(descendants(t.List(), pid), []int{pid})
}

// Members returns the living processes of a tree, by pid. A tree that is still starting children must be asked again
// until it is empty: what was forked during the look is not in it.
func (t *Table) Members(tree Tree) []Entry {
	var keyed []Entry
	if tree.EnvKey != "" {
		keyed = t.FindByEnv(tree.EnvKey, tree.EnvValue)
	}
	var below []Entry
	if !tree.Root.IsZero() {
		below = rooted(t.List(), tree.Root)
	}
	return living(append(keyed, below...), append(slices.Clone(tree.Except), os.Getpid()))
}

// rooted returns root, its descendants and its group from entries. A root that is gone has none that can be proved.
func rooted(entries []Entry, root Identity) []Entry {
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.ID.Same(root) })
	if at < 0 {
		return nil
	}
	members := append(descendants(entries, root.PID), entries[at])
	if entries[at].ID.PGID != root.PID {
		return members
	}
	for _, entry := range entries {
		if entry.ID.PGID == root.PID {
			members = append(members, entry)
		}
	}
	return members
}

// descendants returns what is below pid in entries, in no order that a caller may rely on.
func descendants(entries []Entry, pid int) []Entry {
	children := map[int][]Entry{}
	for _, entry := range entries {
		children[entry.Parent] = append(children[entry.Parent], entry)
	}
	var below []Entry
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		for _, child := range children[queue[0]] {
			below = append(below, child)
			queue = append(queue, child.ID.PID)
		}
		delete(children, queue[0])
	}
	return below
}

// living sorts entries by pid and drops zombies, doubles and the excepted.
func living(entries []Entry, except []int) []Entry {
	kept := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		return e.Zombie || slices.Contains(except, e.ID.PID)
	})
	sort.Slice(kept, func(i, j int) bool { return kept[i].ID.PID < kept[j].ID.PID })
	return slices.CompactFunc(kept, func(a, b Entry) bool { return a.ID.PID == b.ID.PID })
}
