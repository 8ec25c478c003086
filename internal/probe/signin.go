package probe

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// askSignIn finds out whether a run would be signed in: by the program's own question where it has one, else by what lies
// about. Only what is sure to fail is a problem.
func (s subject) askSignIn(ctx context.Context, a *asker, r *Report) {
	key, files := s.key(), s.credentials()
	words := s.facts.Probe.ForModel(s.entry.Model).SignIn
	switch {
	case words != nil:
		answer := a.ask(ctx, s.env, append([]string{r.Path}, words...))
		if answer.late || answer.err != nil {
			r.SignInText = answer.words + " gave no answer"
		} else {
			r.SignIn, r.SignInText = harness.ReadSignIn(s.facts.Name, answer.code, answer.stdout+"\n"+answer.stderr)
		}
	case key != "":
		r.SignInText = key + " is in its entry; whether it is accepted, only a run can tell"
	case len(files) > 0:
		r.SignInText = files[0] + " is there; whether it holds a sign-in, only a run can tell"
	case s.facts.Name == "amp":
		// It would wait for a pasted code; nothing else tells (facts, section 1).
		r.SignIn, r.Unknown = harness.SignedOut, ""
	default:
		r.SignInText = "it has no cheap way to say, and no stored sign-in was found"
	}
	if r.SignIn == harness.SignedOut {
		s.signedOut(r, key)
	}
}

// signedOut says what a run without a sign-in would come to. A key in the entry, and for opencode a provider of its own
// configuration, serve without one.
func (s subject) signedOut(r *Report, key string) {
	switch {
	case key != "":
		r.note("not signed in, but " + key + " of its entry serves it, if it is accepted")
		return
	case s.facts.Name == "opencode" && s.entry.Model != "":
		r.note(fmt.Sprintf("not signed in: it works only if its own configuration gives %s a key or needs none", s.entry.Model))
		return
	}
	text := "not signed in"
	switch s.facts.Name {
	case "opencode":
		text += ": it would send the work to a free cloud model of its own choice"
	case "amp":
		text += ": it would wait for ever for a pasted code"
	}
	r.problem(CodeSignedOut, text, signInFix(s.facts.Name, s.program()))
}

func signInFix(name, program string) string {
	how := map[string]string{"claude": " auth login", "codex": " login", "opencode": " auth login", "amp": " login"}[name]
	fix := fmt.Sprintf("run `%s%s` once", program, how)
	if keys := harness.KeyVariables(name); len(keys) > 0 {
		fix += fmt.Sprintf(", or give its entry env: {%s: \"${%s}\"}", keys[0], keys[0])
	}
	return fix
}

// key names a variable of the entry that signs it in: one that the CLI is known to read, else one that its own configuration
// may name; "" for none.
func (s subject) key() string {
	for _, name := range harness.KeyVariables(s.facts.Name) {
		if s.entry.Env[name] != "" {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.entry.Env)) {
		if (strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN")) && s.entry.Env[name] != "" {
			return name
		}
	}
	return ""
}

// credentials are the files of a sign-in that are there, with the user's folder written as ~.
func (s subject) credentials() []string {
	var there []string
	for _, path := range harness.CredentialFiles(s.facts.Name, s.job(harness.PermissionRead)) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			if rest, ok := strings.CutPrefix(path, s.env["HOME"]+"/"); ok {
				path = "~/" + rest
			}
			there = append(there, path)
		}
	}
	return there
}
