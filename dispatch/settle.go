package dispatch

import (
	"context"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
)

// settle writes each ending in a transaction of its own. One that another process has written already is no ending of this
// tick's.
func (t *tick) settle(ctx context.Context) {
	for _, exit := range t.plan.Settle {
		done, err := t.d.Store.Settle(ctx, board.At(t.now), t.rules, exit)
		if err != nil {
			t.fault("run "+itoa(exit.Run), err)
			continue
		}
		if !done.Already {
			t.ended = append(t.ended, done.Ending)
		}
		t.d.Fail.Hit(failpoint.SettleEach)
	}
	t.d.Fail.Hit(failpoint.SettleAfter)
}
