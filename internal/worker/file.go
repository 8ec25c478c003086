package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	requestSuffix = ".request"
	answerSuffix  = ".answer"
	closedFile    = "closed"
)

// writeWhole writes a file whole or not at all, 0600 whatever the umask.
func writeWhole(dir, name string, data []byte) (err error) {
	file, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(dir, name))
}

// requests are the names of the requests in an outbox, oldest first.
func requests(dir string) ([]string, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	files, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, requestSuffix); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// readRequest reads a request file that a worker may have made in any shape: a link, a pipe or a flood is no request.
func readRequest(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxRequest {
		return nil, fmt.Errorf("a request must be a plain file of at most %d bytes", MaxRequest)
	}
	return io.ReadAll(io.LimitReader(file, MaxRequest))
}
