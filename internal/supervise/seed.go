package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
)

// seedWait is how long one supervisor waits for another that seeds.
const seedWait = 10 * time.Second

// seed changes the configuration files of the CLI that would make it ask a person (PAN-3), one supervisor at a time.
func (t *turn) seed(ctx context.Context, seeds []harness.Seed) (err error) {
	if len(seeds) == 0 {
		return nil
	}
	lock, err := process.Flock(ctx, filepath.Join(t.Home.Sessions(), "seeds.lock"), seedWait)
	if err != nil {
		return fmt.Errorf("seed the harness's configuration: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	for _, s := range seeds {
		existing, err := os.ReadFile(s.Path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("seed %s: %w", s.Path, err)
		}
		content, changed, err := s.Apply(existing)
		if err != nil {
			return fmt.Errorf("seed %s: %w", s.Path, err)
		}
		if !changed {
			continue
		}
		if err := errors.Join(home.MkdirAll(filepath.Dir(s.Path)), home.WriteFile(s.Path, content)); err != nil {
			return fmt.Errorf("seed %s: %w", s.Path, err)
		}
	}
	return nil
}
