package workspace

import (
	"context"
	"time"
)

// Chosen: 24 parallel calls on two cores need one retry at most; the rest is for slower machines.
const (
	collisionTries = 6
	collisionPause = 30 * time.Millisecond // doubled each time
)

// retry does a call of git again when it met another git that was at work in the same repository (WSP-1).
func retry(ctx context.Context, do func() error) error {
	wait := collisionPause
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == collisionTries || !collided(err) {
			return err
		}
		pause(ctx, wait)
		wait *= 2
	}
}

// collided reports whether git met a lock, or a worktree whose files another git has made but not filled yet
// ("failed to read .git/worktrees/web-5/commondir: Success", seen with git 2.39).
func collided(err error) bool {
	return says(err, "could not lock") || says(err, ".lock': File exists") || says(err, "cannot lock ref") ||
		says(err, "failed to read")
}

// pause waits, or less when ctx is done.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}
