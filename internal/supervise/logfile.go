package supervise

import (
	"fmt"
	"os"
	"strconv"
)

// Bounds of output.log (03, "The supervisor").
const (
	logBytes = 16 << 20 // of one file
	logKept  = 2        // files beside the present one
)

// logFile is output.log: what a run printed, byte for byte, in files of bounded size. output.log.1 is the newest of the old.
type logFile struct {
	path string
	file *os.File
	size int64
}

func openLog(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.open(os.O_APPEND)
}

func (l *logFile) open(how int) error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|how, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("open the log: %w", err)
	}
	l.file, l.size = file, info.Size()
	return file.Chmod(0o600)
}

// Write appends p whole, in the next file when the present one is full.
func (l *logFile) Write(p []byte) (int, error) {
	if l.size > 0 && l.size+int64(len(p)) > logBytes {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *logFile) rotate() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("turn the log over: %w", err)
	}
	for n := logKept; n > 1; n-- {
		if err := os.Rename(l.old(n-1), l.old(n)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("turn the log over: %w", err)
		}
	}
	if err := os.Rename(l.path, l.old(1)); err != nil {
		return fmt.Errorf("turn the log over: %w", err)
	}
	return l.open(os.O_TRUNC)
}

func (l *logFile) old(n int) string { return l.path + "." + strconv.Itoa(n) }

// Close closes the present file.
func (l *logFile) Close() error { return l.file.Close() }
