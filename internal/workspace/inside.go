package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// inside fails unless path is below worktrees, and no part of the way down is a symlink (WSP-4). The way to worktrees
// itself may have symlinks: a person chose the home.
func inside(worktrees, path string) error {
	rel, err := filepath.Rel(worktrees, path)
	if err != nil || !filepath.IsAbs(worktrees) || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return fmt.Errorf("%w: %s", ErrOutside, path)
	}
	way := worktrees
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		way = filepath.Join(way, part)
		info, err := os.Lstat(way)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%w: %s is a symlink", ErrOutside, way)
		}
	}
	return nil
}

// diskFull wraps an error of the file system in ErrDiskFull when that is what it says.
func diskFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}
