// Command mockmodel serves the mock model API on a loopback address, for `make e2e` and for trying a CLI by hand.
//
//	mockmodel -addr 127.0.0.1:0 -log requests.jsonl
//
// The first line on standard error is the base URL, so that port 0 can be asked for.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/seed-2ddc2152/board/internal/mockmodel"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8199", "loopback address to listen on; port 0 takes a free one")
	scenario := flag.String("scenario", "text", "scenario for paths without /s/<scenario>")
	text := flag.String("text", "", "the final answer")
	file := flag.String("file", "", "file that the tool scenarios write")
	logTo := flag.String("log", "", "append one JSON line a request to this file")
	flag.Usage = func() {
		flag.PrintDefaults()
		for _, s := range mockmodel.Scenarios() {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-14s %s\n", s[0], s[1])
		}
	}
	flag.Parse()
	log.SetFlags(0)
	if err := serve(*addr, *logTo, mockmodel.Options{Scenario: *scenario, Text: *text, ToolFile: *file}); err != nil {
		log.Fatalf("mockmodel: %v", err)
	}
}

func serve(addr, logTo string, options mockmodel.Options) error {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%q is not a loopback address with a port", addr)
	}
	if logTo != "" {
		file, err := os.OpenFile(logTo, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("open the log: %w", err)
		}
		options.Log = file
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	log.Printf("http://%s", listener.Addr())
	const slowest = 30 * time.Second // for a request's header; answers may hang for as long as they like
	server := http.Server{Handler: mockmodel.New(options), ReadHeaderTimeout: slowest}
	return server.Serve(listener)
}
