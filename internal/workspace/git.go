package workspace

import (
	"os/exec"
)

// Git runs the git program.
type Git struct {
	// Bin is the program: a path, or a name that is looked for on the PATH of Env. "" is "git".
	Bin string
	// Env is the whole environment of git and of setup; the caller puts the launch key into it. It is cleaned by
	// CleanEnv at each use.
	Env []string
	// Run runs a prepared command to its end; nil is (*exec.Cmd).Run. A process that reaps orphans passes its reaper's.
	Run func(*exec.Cmd) error
}
