package home

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// environFile carries an environment to the supervisor of a pane: a tmux server gives its windows the environment that it
// was started with, and a command line would show secrets to everybody (SUP-7).
const environFile = "env"

// HandEnviron leaves an environment, as "NAME=value", for the supervisor of a session. The file is 0600.
func (h Home) HandEnviron(session int64, environ []string) error {
	if err := MkdirAll(h.Session(session)); err != nil {
		return err
	}
	path := filepath.Join(h.Session(session), environFile)
	// It need not survive a crash of the machine, as no process would.
	if err := os.WriteFile(path, []byte(strings.Join(environ, "\x00")), 0o600); err != nil {
		return fmt.Errorf("hand an environment to session %d: %w", session, err)
	}
	return nil
}

// TakeEnviron reads what HandEnviron left, and deletes it. Where nothing was left it is nil.
func (h Home) TakeEnviron(session int64) ([]string, error) {
	path := filepath.Join(h.Session(session), environFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return nil, fmt.Errorf("take the environment of session %d: %w", session, err)
	}
	environ := []string{}
	for pair := range bytes.SplitSeq(data, []byte{0}) {
		if len(pair) > 0 {
			environ = append(environ, string(pair))
		}
	}
	return environ, nil
}
