package roster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNoFile means that a roster file which was asked for by its path is not there.
var ErrNoFile = errors.New("no roster file there")

// Paths says where roster files may stand.
type Paths struct {
	User    string // its absence is no error; empty: not looked for
	Repo    string // the same
	Setting string // BOARD_ROSTER: "none", or the path of the one file to read; empty: the two above
}

// ReadFiles reads the files into the sources of a roster. A file that is asked for by Setting and is not there is
// ErrNoFile.
func ReadFiles(p Paths) (Sources, error) {
	var s Sources
	var err error
	switch p.Setting {
	case "none":
		s.None = true
	case "":
		if s.User, err = readFile(p.User); err != nil {
			return Sources{}, err
		}
		s.Repo, err = readFile(p.Repo)
	default:
		if s.Only, err = readFile(p.Setting); err == nil && s.Only == nil {
			err = fmt.Errorf("%w: %s", ErrNoFile, p.Setting)
		}
	}
	if err != nil {
		return Sources{}, err
	}
	return s, nil
}

// readFile returns nil without an error where there is no such file.
func readFile(path string) (*Document, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no file is no error
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	if err != nil {
		return nil, fmt.Errorf("read roster %s: %w", path, err)
	}
	return &Document{Path: path, Data: data}, nil
}
