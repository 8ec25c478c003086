package main

import (
	"context"
	"os"
	"path/filepath"
)

// backupDocument is what `board backup --json` prints.
type backupDocument struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func backupCommand() command {
	return command{
		args: "FILE", min: 1, max: 1,
		about:    "Writes a whole copy of the database, while everything goes on. The file must not be there yet.",
		examples: []string{"board backup ~/board-backup.db"},
		document: backupDocument{},
		run: func(ctx context.Context, c *call) error {
			store, err := c.read(ctx)
			if err != nil {
				return err
			}
			path, err := filepath.Abs(c.args[0])
			if err != nil {
				return err
			}
			if err := store.Backup(ctx, path); err != nil {
				return err
			}
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			d := backupDocument{File: path, Bytes: info.Size()}
			if c.out.json {
				return c.out.document(d)
			}
			c.out.line("%s  %d KiB", d.File, (d.Bytes+1023)/1024)
			return nil
		},
	}
}
