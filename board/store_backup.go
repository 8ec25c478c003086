package board

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a whole copy of the database to a file that is not there yet, while others go on writing. A file that is
// there is ErrRefused, a folder that is not is ErrNotFound; what fails leaves no file.
func (s *Store) Backup(ctx context.Context, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return NewProblem(ErrRefused, "name another file", "back up to %s: the file is there already", path)
	}
	if folder := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) {
		return NewProblem(ErrNotFound, "mkdir -p "+folder, "back up to %s: there is no folder %s", path, folder)
	}
	if err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	err = errors.Join(file.Chmod(0o600), file.Close())
	if err == nil {
		_, err = s.db.ExecContext(ctx, `VACUUM INTO ?`, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("back up to %s: %w", path, err), os.Remove(path))
	}
	return nil
}
