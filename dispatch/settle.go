package dispatch

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// server is the board's side of what a run's session has left in its outbox: a verdict that a killed supervisor did not come
// to is not lost.
func (t *tick) server(r board.Run) worker.Server {
	session := cmp.Or(r.Session, r.ID) // a run that was never begun has no such folder
	return worker.Server{Outbox: filepath.Join(t.d.Home.Session(session), "outbox"), Store: t.d.Store, Rules: func() board.Rules { return t.rules }}
}

// settle writes each ending in a transaction of its own. One that another process has written already is no ending of this
// tick's.
func (t *tick) settle(ctx context.Context) {
	for i, exit := range t.plan.Settle {
		done, err := t.server(t.plan.Endings[i].Run).Settle(ctx, board.At(t.now), exit)
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
