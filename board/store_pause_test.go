package board_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
)

func (d *desk) pause(p board.Pause, stop bool) board.Paused {
	d.t.Helper()
	p.Actor = "ada"
	return must[board.Paused](d.t)(d.store.Pause(d.ctx, d.now, board.PauseRequest{Pause: p, Stop: stop}))
}

// LIV-5: a pause lets what runs finish; with stop the run is asked to end.
func TestPause_LetsARunFinishUnlessItIsToStop(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	run := d.start(id)
	done := d.pause(board.Pause{Kind: board.PauseCard, Target: id}, false)
	if !slices.Equal(done.Running, []int64{run}) || len(done.Stopped) != 0 {
		t.Fatalf("got %+v", done)
	}
	if r := must[board.Run](t)(d.store.Run(d.ctx, run)); r.StopOutcome != "" {
		t.Errorf("the run was asked to stop: %+v", r)
	}
	done = d.pause(board.Pause{Kind: board.PauseCard, Target: id}, true)
	if !done.Already || !slices.Equal(done.Stopped, []int64{run}) {
		t.Fatalf("got %+v", done)
	}
	if r := must[board.Run](t)(d.store.Run(d.ctx, run)); r.StopOutcome != board.Stopped || r.StopActor != "ada" { // END-0
		t.Errorf("got %+v", r)
	}
}

func TestPause_OfABoardOrTheHomeSpeaksOfItsRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.start(d.add())
	if err := d.store.AddBoard(d.ctx, d.now, board.Board{Slug: "web", Name: "web", Workflow: "default"}, "ada"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pause board.Pause
		want  []int64
	}{
		{board.Pause{Kind: board.PauseBoard, Target: "api"}, []int64{run}},
		{board.Pause{Kind: board.PauseBoard, Target: "web"}, nil},
		{board.Pause{Kind: board.PauseHome}, []int64{run}},
		{board.Pause{Kind: board.PauseExecutor, Target: "opus"}, []int64{run}},
		{board.Pause{Kind: board.PauseCap, Target: "opus"}, nil},
	} {
		if got := d.pause(tt.pause, false).Running; !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: runs %v, want %v", tt.pause.Kind, tt.pause.Target, got, tt.want)
		}
	}
}

func TestPause_PassesByItself(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.pause(board.Pause{Kind: board.PauseCard, Target: id, Until: d.now.Add(time.Hour)}, false)
	if got := must[[]board.Pause](t)(d.store.Pauses(d.ctx, d.now)); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := must[[]board.Pause](t)(d.store.Pauses(d.ctx, d.now.Add(time.Hour))); len(got) != 0 {
		t.Errorf("after its time: %+v", got)
	}
}

func TestPause_RefusesWhatCannotBePaused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ended := d.add()
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: ended, To: "done", Actor: "ada"}))
	for _, tt := range []struct {
		q    board.PauseRequest
		kind error
	}{
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseCard, Target: "api-9"}}, board.ErrNotFound},
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseBoard, Target: "ap"}}, board.ErrNotFound},
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseCard, Target: ended}}, board.ErrRefused},
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseHome, Until: d.now}}, board.ErrUsage},
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseHome, Reason: "a\nb"}}, board.ErrUsage},
		{board.PauseRequest{Pause: board.Pause{Kind: board.PauseCap, Target: "x"}, Stop: true}, board.ErrUsage}, // CAP-16
	} {
		if _, err := d.store.Pause(d.ctx, d.now, tt.q); !errors.Is(err, tt.kind) {
			t.Errorf("%+v: got %v, want %v", tt.q, err, tt.kind)
		}
	}
	if got := must[[]board.Pause](t)(d.store.Pauses(d.ctx, d.now)); len(got) != 0 {
		t.Errorf("a refused pause left %+v", got)
	}
}

func TestResume_SaysWhetherAnythingWasPaused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.pause(board.Pause{Kind: board.PauseCard, Target: id}, false)
	d.now += 60_000
	q := board.ResumeRequest{Kind: board.PauseCard, Target: id, Actor: "ada"}
	if done := must[board.Resumed](t)(d.store.Resume(d.ctx, d.now, q)); !done.Paused || d.card(id).ReadySince != d.now {
		t.Errorf("got %+v, ready since %s", done, d.card(id).ReadySince)
	}
	events := len(d.page(id).Events)
	if done := must[board.Resumed](t)(d.store.Resume(d.ctx, d.now, q)); done.Paused || len(d.page(id).Events) != events {
		t.Errorf("a resume of nothing: %+v", done)
	}
}
