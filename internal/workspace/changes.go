package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFileBytes is the largest file that the board commits by itself (RET-6).
const maxFileBytes = 5 << 20

// changes is what differs from the head in a worktree, sorted by what is done with it.
type changes struct {
	add      []string   // goes into the index as it is in the folder
	staged   bool       // something is in the index already, beyond unstage
	unstage  []string   // an agent put it into the index, and it is left out
	left     []Leftover // by path
	unmerged []string   // in conflict
}

// any reports whether there is something that would be committed.
func (c changes) any() bool { return c.staged || len(c.add) > 0 || len(c.unmerged) > 0 }

// statusEntry is one record of `git status --porcelain=v2`.
type statusEntry struct {
	path      string
	index     byte // what the index has beyond the head: '.', 'A', 'M', 'D', 'T'
	folder    byte // what the folder has beyond the index; '?' when git does not know the file
	unmerged  bool
	submodule bool
}

// parseStatus reads `git status --porcelain=v2 -z --no-renames`.
func parseStatus(out string) ([]statusEntry, error) {
	var entries []statusEntry
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if record == "" {
			continue
		}
		if path, untracked := strings.CutPrefix(record, "? "); untracked {
			entries = append(entries, statusEntry{path: path, index: '.', folder: '?'})
			continue
		}
		// "1 XY sub mH mI mW hH hI path" or "u XY sub m1 m2 m3 mW h1 h2 h3 path"
		before := map[byte]int{'1': 8, 'u': 10}[record[0]]
		fields := strings.SplitN(record, " ", before+1)
		if before == 0 || len(fields) != before+1 || len(fields[1]) != 2 {
			return nil, fmt.Errorf("read git status: unknown record %q", record)
		}
		entries = append(entries, statusEntry{
			path: fields[before], index: fields[1][0], folder: fields[1][1],
			unmerged: record[0] == 'u', submodule: fields[2][0] == 'S',
		})
	}
	return entries, nil
}

// sortChanges decides what is committed and what is left out. size gives the bytes of a regular file, and 0 for all
// else.
func sortChanges(entries []statusEntry, size func(path string) int64) changes {
	var c changes
	for _, e := range entries {
		if e.unmerged {
			c.unmerged = append(c.unmerged, e.path)
			continue
		}
		gone := e.folder == 'D' || (e.folder == '.' && e.index == 'D')
		reason := whyLeftOut(e, size)
		switch {
		case reason == "" || (gone && !e.submodule): // a deletion carries no content
			if e.folder != '.' {
				c.add = append(c.add, e.path)
			}
			c.staged = c.staged || e.index != '.'
		default:
			c.left = append(c.left, Leftover{Path: e.path, Reason: reason})
			if e.index != '.' {
				c.unstage = append(c.unstage, e.path)
			}
		}
	}
	slices.SortFunc(c.left, func(a, b Leftover) int { return strings.Compare(a.Path, b.Path) })
	return c
}

func whyLeftOut(e statusEntry, size func(path string) int64) string {
	switch {
	case e.submodule:
		return "is a submodule"
	case strings.HasSuffix(e.path, "/"):
		return "is a repository of its own"
	case looksSecret(e.path):
		return "looks like a secret"
	case size(e.path) > maxFileBytes:
		return "is larger than 5 MiB"
	}
	return ""
}

// looksSecret judges by the name alone: .env*, *.pem, id_*.
func looksSecret(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasPrefix(name, ".env") || strings.HasSuffix(name, ".pem") || strings.HasPrefix(name, "id_")
}

// workingState reads and stages the changes of one worktree, in its own index or in another.
type workingState struct {
	*Git
	path  string
	index string // GIT_INDEX_FILE; "" is the worktree's own
}

func (w workingState) run(ctx context.Context, paths []string, args ...string) (string, error) {
	// Paths are names, not patterns; and a look must not take index.lock from an agent that is at work.
	c := call{dir: w.path, args: args, env: []string{"GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0"}}
	if paths != nil {
		c.stdin = nuls(paths)
	}
	if w.index != "" {
		c.env = append(c.env, "GIT_INDEX_FILE="+w.index)
	}
	return w.call(ctx, c)
}

func (w workingState) read(ctx context.Context) (changes, error) {
	entries, err := w.status(ctx)
	if err != nil {
		return changes{}, err
	}
	return sortChanges(entries, w.size), nil
}

func (w workingState) status(ctx context.Context) ([]statusEntry, error) {
	out, err := w.run(ctx, nil, "status", "--porcelain=v2", "-z", "--untracked-files=all",
		"--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

func (w workingState) size(path string) int64 {
	info, err := os.Lstat(filepath.Join(w.path, path))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// stage brings the index to what is to be committed. A file that git cannot read is left out and named.
func (w workingState) stage(ctx context.Context, c *changes) error {
	if len(c.unstage) > 0 {
		if _, err := w.run(ctx, c.unstage, "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"); err != nil {
			return err
		}
	}
	if len(c.add) == 0 {
		return nil
	}
	_, err := w.run(ctx, c.add, "add", "--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul")
	if exitCode(err) != 1 {
		return err
	}
	return w.nameUnread(ctx, c, err)
}

// nameUnread adds to left what was to be added and is still not in the index.
func (w workingState) nameUnread(ctx context.Context, c *changes, cause error) error {
	entries, err := w.status(ctx)
	if err != nil {
		return err
	}
	unread := 0
	for _, e := range entries {
		if e.folder != '.' && slices.Contains(c.add, e.path) {
			c.left = append(c.left, Leftover{Path: e.path, Reason: "could not be read"})
			unread++
		}
	}
	if unread == 0 {
		return cause
	}
	slices.SortFunc(c.left, func(a, b Leftover) int { return strings.Compare(a.Path, b.Path) })
	return nil
}
