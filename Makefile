# Targets for maintainers. Building, running and testing need only Go: see README.md.

FUZZTIME ?= 60s
BENCHTIME ?= 1s

BUF := go tool -modfile=tools/go.mod buf
LINT := go tool -modfile=tools/lint/go.mod golangci-lint
BENCH := go test -run '^$$' -benchmem -benchtime $(BENCHTIME) -timeout 60m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: short
short: ## Run the fast tests (a minute)
	go test -short ./...

.PHONY: test
test: ## Run all tests (minutes)
	go test ./...
	go test -C bench ./...

.PHONY: lint
lint: ## Lint Go code and the protobuf schema
	$(BUF) lint
	$(LINT) run --concurrency 1
	cd bench && go tool -modfile=../tools/lint/go.mod golangci-lint run --concurrency 1

.PHONY: format
format: ## Format Go code and the protobuf schema
	$(BUF) format --write
	$(LINT) fmt

.PHONY: generate
generate: ## Generate Go and TypeScript code from proto/, and the generated pages of docs/
	$(BUF) format --write
	$(BUF) generate
	npm ci --silent --prefix conformance && npm run --silent --prefix conformance generate
	npm ci --silent --prefix conformance/web && npm run --silent --prefix conformance/web generate
	go test ./internal/lint -run 'TestSpecCoverage|TestWirePage' -count 1 -update

.PHONY: vectors
vectors: ## Regenerate testdata/vectors
	go test ./internal/vectors -count 1 -update

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (60s)
	@scripts/fuzz $(FUZZTIME)

.PHONY: crash
crash: ## Crash nodes under load, 100 times and at every fail point of CometBFT (minutes)
	go test ./internal/node/crash -count 1 -v -timeout 60m -artifacts -kills 100 -fail-points 41

.PHONY: faults
faults: ## Inject faults into networks of 4 validators and 2 followers, with 20 seeds (half an hour)
	go test ./internal/faults -count 1 -v -timeout 120m -artifacts -seeds 20 -faults 6 -followers 2 -rebuilt

# Example: make histories REPO="https://github.com/spf13/cobra ../linux"
.PHONY: histories
histories: ## Push the repositories REPO to a development chain, clone them from all kinds of stores and compare
	go test ./internal/histories -run TestRepositories -count 1 -v -timeout 180m -repositories "$(REPO)"

.PHONY: kills
kills: ## Kill helper, content service and node at every stage of every request of pushes and clones (minutes)
	go test ./internal/histories -run TestKill -count 1 -v -timeout 60m -every-stage

# Benchmarks at ten million rows have TenMillion in their names.
.PHONY: bench
bench: ## Run the Go benchmarks package by package, and load-test a node
	$(BENCH) -bench . -skip TenMillion ./message
	$(BENCH) -bench . -skip TenMillion ./internal/custody
	$(BENCH) -bench . -skip TenMillion ./internal/ledger
	$(BENCH) -bench . -skip TenMillion ./internal/merkle
	go test -run '^$$' -bench . -skip TenMillion -benchtime 25x -timeout 60m ./internal/store
	$(BENCH) -bench . -skip TenMillion ./proof
	$(BENCH) -bench . -skip TenMillion ./proof/finality
	go test -C bench -run '^$$' -bench . -benchtime 1x -timeout 60m ./nodeload
	go run -C bench .
	go run -C bench . --rate 0

.PHONY: bench-quick
bench-quick: ## Check the cost of messages against expected ratios (3 minutes)
	go run -C bench . quick --expect expected.json

.PHONY: bench-large
bench-large: ## Run the benchmarks at 10 million rows (minutes, gigabytes of disk)
	go test -run '^$$' -bench TenMillion -benchtime 25x -timeout 60m ./internal/store

.PHONY: bench-git
bench-git: ## Compare clone, fetch and push with git http-backend
	go test ./internal/histories -run '^$$' -bench BenchmarkGit -benchtime 1x -v -timeout 60m

.PHONY: bench-peers
bench-peers: ## Compare a node with other CometBFT applications, at 1 million rows
	go run -C bench . peers --rows 1000000

.PHONY: conformance
conformance: ## Recompute the test vectors with independent libraries, and test the server with third-party clients
	conformance/run
	conformance/web/run
	conformance/rest/run

.PHONY: abuse
abuse: ## Attack a node in every known way, with an honest client beside it (5 minutes)
	go test ./internal/abuse -count 1 -v -timeout 30m -full -seconds 10

.PHONY: fanout
fanout: ## Subscribe 1,000 clients to a node that commits 500 messages per second
	go test ./internal/rest/fanout -count 1 -v -clients 1000 -seconds 20
