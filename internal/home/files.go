package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The modes of all that the program writes, whatever the umask.
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// MkdirAll makes a folder and its parents, 0700 whatever the umask. Folders that are there are left as they are.
func MkdirAll(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		return fmt.Errorf("make folder %s: there is a file of that name", dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Chmod(dir, dirMode); err != nil { // a umask such as 0277 takes more away than is bearable
		return fmt.Errorf("make folder: %w", err)
	}
	return nil
}

// WriteFile writes a file whole or not at all, also through a crash: a temporary file beside it, fsync, rename, fsync of
// the folder. It is 0600 whatever the umask. A file of that name is replaced.
func WriteFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write %s: %w", path, err), ignoreMissing(os.Remove(temp.Name())))
		}
	}()
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Chmod(fileMode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err = os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncDir makes a rename in a folder last through a crash of the machine.
func syncDir(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// ReadEnvFile reads KEY=VALUE lines: blank lines and those that begin with # are left out, `export ` before a key and one
// pair of quotes around a value are taken off, and nothing is expanded. Secrets stand in it, so others must not be able
// to read it: its mode must be 0600 or stricter.
func ReadEnvFile(path string) (map[string]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read env_file: %w", err)
	}
	if open := info.Mode().Perm() &^ fileMode; open != 0 {
		return nil, fmt.Errorf("read env_file %s: its mode is %#o and must be 0600: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read env_file: %w", err)
	}
	values := make(map[string]string)
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); !ok || !isVariable(key) {
			return nil, fmt.Errorf("%s:%d: expected KEY=VALUE", path, i+1) // the line is not shown: it may hold a secret
		}
		values[key] = unquote(strings.TrimSpace(value))
	}
	return values, nil
}

func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
