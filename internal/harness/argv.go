package harness

import (
	"fmt"
	"maps"
	"slices"
)

// argv builds a command line.
type argv []string

func (a *argv) add(words ...string) { *a = append(*a, words...) }

// set adds a flag and its value, unless there is no value.
func (a *argv) set(flag, value string) {
	if value != "" {
		a.add(flag, value)
	}
}

// flags adds the executor's own flags in the order of their names. Those in owned are refused: they decide what the run may
// do, where it works and how its output is read.
func (a *argv) flags(job Job, owned ...string) error {
	for _, name := range slices.Sorted(maps.Keys(job.Flags)) {
		if slices.Contains(owned, name) {
			return fmt.Errorf("flag %q of the executor: board sets it itself: %w", name, ErrFlag)
		}
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		switch value := job.Flags[name]; value {
		case "", "true":
			a.add(dashes + name)
		case "false":
		default:
			a.add(dashes+name, value)
		}
	}
	return nil
}

// program starts the command line of job with the program of f.
func program(job Job, f Facts) argv {
	if job.Bin != "" {
		return argv{job.Bin}
	}
	return argv{f.Binary}
}

// admit refuses what f cannot do at all.
func admit(job Job, f Facts) error {
	if job.Interactive && !f.Interactive {
		return fmt.Errorf("%s in a pane: %w", f.Name, ErrInteractive)
	}
	if !job.Interactive && job.Permissions == PermissionAsk {
		return fmt.Errorf("%s without a pane: permissions ask: nobody could answer: %w", f.Name, ErrPermissions)
	}
	return nil
}

// headless is the command of a run whose prompt comes by standard input.
func headless(job Job, line argv, env map[string]string) Command {
	return Command{Argv: line, StdinPath: job.PromptPath, Dir: job.Workspace, Env: job.unset(env)}
}

// pane is the command of an interactive run, whose prompt is a file that one pasted line names (PAN-2).
func pane(job Job, line argv, env map[string]string) Command {
	return Command{
		Argv: line, Terminal: true, Paste: PasteLine(job.PromptPath), Dir: job.Workspace, Env: job.unset(env),
	}
}

// PasteLine is what is pasted into a pane to give an interactive agent the prompt in the file at path (PAN-2).
func PasteLine(path string) string {
	return "Read the file " + path + " and do exactly what it says."
}

// unset leaves out what the job's environment already has: an executor's own `env` wins over a default of ours.
func (j Job) unset(env map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range env {
		if _, has := j.Env[name]; !has {
			out[name] = value
		}
	}
	return out
}

// folder is the CLI's configuration folder: where variable says, else under the home.
func (j Job) folder(variable, underHome string) string {
	if dir := j.Env[variable]; dir != "" {
		return dir
	}
	return j.Home + "/" + underHome
}
