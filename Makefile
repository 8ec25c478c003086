# board: what a developer does with this repository. `make` alone lists it.

SHELL       := bash
.SHELLFLAGS := -o pipefail -ec

GO      ?= go
# The tag leaves out the documentation generator of urfave/cli: 0.33 ms of every start.
TAGS    := urfave_cli_no_docs
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X main.version=$(VERSION)

# The version is part of the path, so that a change of it here is a change of the file that make looks for.
LINT_VERSION := v2.15.0
LINT_DIR     := .tools/golangci-lint-$(LINT_VERSION)
LINT         := $(LINT_DIR)/golangci-lint

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

# Further flags of go test and of the benchmark harness: make test TESTFLAGS='-run TestScript -v'
TESTFLAGS  ?=
BENCHFLAGS ?=

export CGO_ENABLED := 0

.DEFAULT_GOAL := help
.PHONY: help build demo test lint fmt tidy cross check e2e soak mutants bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "%-8s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the program: bin/board
	$(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o bin/board ./cmd/board

demo: build ## a scratch board that is worked off before your eyes; needs no network, no account
	./bin/board demo

test: ## every test of every package
	$(GO) test -tags $(TAGS) -timeout 300s $(TESTFLAGS) ./...

lint: $(LINT) ## the rules of the house: layers, pure files, names, sizes
	$(LINT) run --allow-parallel-runners ./...

fmt: $(LINT) ## format every file as lint wants it
	$(LINT) fmt ./...

$(LINT):
	GOBIN=$(CURDIR)/$(LINT_DIR) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

tidy: ## go.mod and go.sum say what is used, no more and no less
	$(GO) mod tidy -diff

cross: ## the program builds, without cgo, for every platform it is made for
	@for p in $(PLATFORMS); do \
		echo "build $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -tags $(TAGS) -o /dev/null ./cmd/board; \
	done

check: test lint tidy cross ## all that must hold before a change goes in

e2e: build ## the shipped program against real processes, tmux, git and ssh, judged from outside
	./e2e/run

soak: build ## drains judged from outside: mixed ends, kill -9 at every failpoint, a git that sleeps
	./e2e/soak

mutants: ## each listed one-line mutation turns a named test red
	./e2e/mutants

bench: build ## measure, and write docs/benchmarks.md with this machine's name on it
	$(GO) run -tags $(TAGS) ./internal/bench/cmd/bench $(BENCHFLAGS)

clean: ## remove what make built
	rm -rf bin .tools
