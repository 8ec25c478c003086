package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Copy copies the ignored files that the worktree's .board/copy lists from the repository into the worktree (WSP-5), and
// returns what it copied, sorted. Lines are paths or globs from the top of the repository; a folder stands for all that
// is in it; "#" begins a comment. What is there already, what git does not ignore, and symlinks are left.
func (g *Git) Copy(ctx context.Context, repo, path string) (copied []string, err error) {
	list, err := os.ReadFile(filepath.Join(path, copyFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("copy ignored files: %w", err)
	}
	files, err := listed(repo, list)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	ignored, err := g.ignored(ctx, path, files)
	if err != nil {
		return nil, fmt.Errorf("copy ignored files: %w", err)
	}
	for _, name := range ignored {
		made, err := copyMissing(filepath.Join(repo, name), path, name)
		if err != nil {
			return copied, fmt.Errorf("copy %s: %w", name, diskFull(err))
		}
		if made {
			copied = append(copied, name)
		}
	}
	return copied, nil
}

// listed returns the plain files that the lines of .board/copy name, from the top of repo, sorted.
func listed(repo string, list []byte) ([]string, error) {
	var files []string
	for line := range bytes.Lines(list) {
		pattern := strings.TrimSpace(string(line))
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		if !filepath.IsLocal(pattern) {
			return nil, fmt.Errorf("read %s: %q leads out of the repository", copyFile, pattern)
		}
		matches, err := filepath.Glob(filepath.Join(repo, pattern))
		if err != nil {
			return nil, fmt.Errorf("read %s: %q: %w", copyFile, pattern, err)
		}
		for _, match := range matches {
			below, err := plainFiles(repo, match)
			if err != nil {
				return nil, fmt.Errorf("read %s: %q: %w", copyFile, pattern, err)
			}
			files = append(files, below...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// plainFiles returns match, or the files below it, but nothing of git's own and nothing behind a symlink.
func plainFiles(repo, match string) ([]string, error) {
	if err := inside(repo, match); err != nil {
		return nil, ignoreOutside(err)
	}
	var files []string
	err := filepath.WalkDir(match, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".git" {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() {
			name, err := filepath.Rel(repo, file)
			if err != nil {
				return err
			}
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// ignoreOutside makes what lies behind a symlink nothing to copy, and no trouble.
func ignoreOutside(err error) error {
	if errors.Is(err, ErrOutside) {
		return nil
	}
	return err
}

// ignored returns those of files that the worktree's git ignores.
func (g *Git) ignored(ctx context.Context, path string, files []string) ([]string, error) {
	out, err := g.call(ctx, call{dir: path, args: []string{"check-ignore", "--stdin", "-z"}, stdin: nuls(files)})
	if exitCode(err) == 1 { // none of them
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}

// copyMissing copies one file unless it is there, with its mode but for other users' rights.
func copyMissing(from, worktree, name string) (made bool, err error) {
	to := filepath.Join(worktree, name)
	if exists(to) {
		return false, nil
	}
	if err := inside(worktree, to); err != nil {
		return false, err
	}
	source, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return false, err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()&0o700)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Close()); err != nil {
		return false, errors.Join(err, os.Remove(to)) // half a file would pass for the whole one
	}
	return true, nil
}
