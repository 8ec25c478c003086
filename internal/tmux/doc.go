// Package tmux drives the real tmux program: it opens a window for a board's session, lists what every pane is
// doing, reads a screen, types into it and closes it. It decides nothing about cards or runs, keeps nothing between
// calls, and signals no process: it only asks the tmux server of one home.
//
// # One server per home
//
// A Server talks to the tmux server on the socket `-L board-<hash of the home>`, so that two homes of one machine, and
// the person's own tmux, never see each other. In that server there is one tmux session per board, and one window per
// board session. The user's tmux.conf is not read: an option in it must not change how a worker is run.
//
// # Addresses
//
// Names are for people; a person may rename a window or a session, split it or move a pane elsewhere. Whatever acts on
// a pane addresses it by its id, on the socket stored in its Identity. Ids start again at zero with each tmux server,
// so every action also names the process id that the pane must have, and tmux compares the two in the same step: a
// stale Identity gets ErrPaneGone and never touches the pane that inherited its id.
//
// # What the environment of a pane is
//
// A tmux server keeps the environment of the first client that ever spoke to it and gives it to every later pane.
// Therefore each call runs with a whitelist of its caller's environment, and a window gets no variables of its own:
// values given with `-e` would stand in /proc/*/cmdline. A window's program reads what it needs from its run's files.
//
// # How the program ends
//
// Windows have remain-on-exit: a pane whose program ended stays, with its exit status and its last screen, until
// KillPane. A pane is closed only after everything that its program started is proved gone; killing it sends HUP to
// its program alone, and what called setsid survives.
//
// # The host seam
//
// There is no interface here. A tick needs of a host no more than "these sessions live, these ended", one answer for
// all of them; that interface stands where it is used, and this package's ListPanes is the home host's way to answer
// it. Another host answers the same question with one query over ssh.
//
// tmux 3.2 or later is needed; the behaviour described in comments was measured with 3.3a.
package tmux
