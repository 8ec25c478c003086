package process_test

import "testing"

// Trap: a wait4(-1) loop beside exec.Cmd.Wait lost 35 of 200 exit codes (SUP-5).
func TestReaper_LosesNoExitCodeBesideOrphans(t *testing.T) {
	t.Parallel()
	if got := play(t, "reap").said; got != "0 50" {
		t.Errorf("got %q, want no code lost and 50 orphans buried", got)
	}
}
