package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// LiveLimit is how long an executor may take for its one answer. Chosen: a slow start and a slow model.
const LiveLimit = 2 * time.Minute

// livePrompt is the one question.
const livePrompt = "This is a check that you can be reached. Use no tools. Answer with the one word: ready.\n"

// live has the executor answer one question, as a run with permissions to read would.
func (s subject) live(ctx context.Context, a *asker, r *Report) {
	result, err := s.converse(ctx, a, r.Path)
	switch {
	case err != nil:
		r.problem(CodeLive, "the question could not be asked: "+err.Error(), "")
		return
	case result.Failure != nil:
		r.Live = &Live{Class: result.Failure.Class, Text: result.Failure.Message}
		r.problem(CodeLive, fmt.Sprintf("asked a question, it ended as %s: %s", result.Failure.Class, cmp.Or(result.Failure.Message, "it said nothing")), "")
	default:
		r.Live = &Live{OK: true, Text: strings.TrimSpace(result.Text)}
		r.Unknown = ""
		if s.facts.Name != execName && r.SignIn == harness.SignInUnknown {
			r.SignIn, r.SignInText = harness.SignedIn, "it answered a question"
		}
	}
	const micros = 1e6
	r.Live.Model, r.Live.TokensIn, r.Live.TokensOut = result.Model, result.Usage.In, result.Usage.Out
	r.Live.CostUSD = float64(result.Usage.CostMicros) / micros
}

// converse is a small run: a folder, a prompt, the harness's own command and its own reading of the output.
func (s subject) converse(ctx context.Context, a *asker, path string) (harness.Result, error) {
	dir, err := os.MkdirTemp(a.scratch, "live-")
	if err != nil {
		return harness.Result{}, err
	}
	job := s.job(harness.PermissionRead)
	job.RunDir, job.Workspace, job.OutboxDir = dir, filepath.Join(dir, "work"), filepath.Join(dir, "outbox")
	job.PromptPath, job.ResultPath, job.Runtime = filepath.Join(dir, "prompt.md"), filepath.Join(dir, "result.json"), LiveLimit
	if s.facts.Sessions == harness.SessionChosen {
		job.NewSession = uuid()
	}
	for _, folder := range []string{job.Workspace, job.OutboxDir} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return harness.Result{}, err
		}
	}
	if err := os.WriteFile(job.PromptPath, []byte(livePrompt), 0o600); err != nil {
		return harness.Result{}, err
	}
	line, err := s.driver.Command(job)
	if err != nil {
		return harness.Result{}, err
	}
	env := maps.Clone(s.env)
	maps.Copy(env, line.Env)
	env["BOARD_PROMPT"], env["BOARD_RESULT"], env["BOARD_WORKSPACE"] = job.PromptPath, job.ResultPath, job.Workspace
	got := a.start(ctx, question{words: append([]string{path}, line.Argv[1:]...), env: pairs(env), dir: line.Dir, stdin: strings.NewReader(livePrompt), limit: LiveLimit})
	if got.err != nil {
		return harness.Result{}, got.err
	}
	return a.read(s.driver.Parser(job), got), nil
}

// read has a harness read what a run printed.
func (a *asker) read(parser harness.Parser, got answer) harness.Result {
	for line := range strings.Lines(got.stdout) {
		parser.Line([]byte(strings.TrimRight(line, "\r\n")))
	}
	for line := range strings.Lines(got.stderr) {
		parser.Stderr([]byte(strings.TrimRight(line, "\r\n")))
	}
	exit := harness.Exit{Code: got.code, Stop: got.late, Files: wanted(parser.Wants()), Now: a.prober.Clock.Now()}
	result := parser.Finish(exit)
	if got.late && result.Failure == nil {
		result.Failure = &harness.Failure{Class: harness.ClassOutage, Message: cmp.Or(result.Retrying, "no answer within "+LiveLimit.String())}
	}
	return result
}

// wantedBytes is how much of a file's end is read (harness.Parser).
const wantedBytes = 4 << 20

// wanted reads the files that a parser asks for; of several that match, the latest.
func wanted(patterns []string) map[string][]byte {
	files := map[string][]byte{}
	for _, pattern := range patterns {
		latest := ""
		var when time.Time
		paths, _ := filepath.Glob(pattern) // a pattern that is none matches nothing
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && !info.ModTime().Before(when) {
				latest, when = path, info.ModTime()
			}
		}
		if latest == "" {
			continue
		}
		if data, err := os.ReadFile(latest); err == nil {
			files[pattern] = data[max(0, len(data)-wantedBytes):]
		}
	}
	return files
}

// uuid names a conversation that is to be started.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
