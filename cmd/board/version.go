package main

import (
	"context"
	"runtime"
)

// versionDocument is what `board version --json` prints.
type versionDocument struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand() command {
	return command{
		examples: []string{"board version"},
		document: versionDocument{},
		run: func(_ context.Context, c *call) error {
			d := versionDocument{Version: programVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if c.out.json {
				return c.out.document(d)
			}
			c.out.line("board %s (%s, %s)", d.Version, d.Go, d.Platform)
			return nil
		},
	}
}
