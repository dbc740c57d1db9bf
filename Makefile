# For maintainers. Running and testing need only Go: see README.md.

FUZZTIME ?= 60s
BENCHTIME ?= 1s

BUF := go tool -modfile=tools/go.mod buf
LINT := go tool -modfile=tools/lint/go.mod golangci-lint
BENCH := go test -run '^$$' -benchmem -benchtime $(BENCHTIME) -timeout 60m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: test
test: ## Run all tests
	go test ./...
	go test -C bench ./...

.PHONY: lint
lint: ## Check Go code and the protobuf schema
	$(BUF) lint
	$(LINT) run --concurrency 1
	cd bench && go tool -modfile=../tools/lint/go.mod golangci-lint run --concurrency 1

.PHONY: format
format: ## Format Go code and the protobuf schema
	$(BUF) format --write
	$(LINT) fmt

.PHONY: generate
generate: ## Generate Go and TypeScript from proto/, and the pages under docs/ that come from source
	$(BUF) format --write
	$(BUF) generate
	npm ci --silent --prefix conformance && npm run --silent --prefix conformance generate
	npm ci --silent --prefix conformance/web && npm run --silent --prefix conformance/web generate
	go test ./internal/lint -run 'TestSpecCoverage|TestWirePage' -count 1 -update

.PHONY: vectors
vectors: ## Rewrite testdata/vectors
	go test ./internal/vectors -count 1 -update

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (60s)
	@scripts/fuzz $(FUZZTIME)

.PHONY: crash
crash: ## Kill nodes under load, 100 times and at every fail point of the consensus engine (minutes)
	go test ./internal/node/crash -count 1 -v -timeout 60m -artifacts -kills 100 -fail-points 41

.PHONY: faults
faults: ## Have networks of 4 validators and 2 followers suffer faults of 20 seeds (half an hour)
	go test ./internal/faults -count 1 -v -timeout 120m -artifacts -seeds 20 -faults 6 -followers 2 -rebuilt

# Benchmarks at ten million rows have TenMillion in their name.
.PHONY: bench
bench: ## Run the benchmarks, one package after another; the tree at 1 million rows
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
bench-quick: ## Compare what a message costs with what is usual, in ratios of one run (under 3 minutes)
	go run -C bench . quick --expect expected.json

.PHONY: bench-large
bench-large: ## Run the benchmarks at 10 million rows (minutes, and gigabytes of disk)
	go test -run '^$$' -bench TenMillion -benchtime 25x -timeout 60m ./internal/store

.PHONY: bench-peers
bench-peers: ## Compare a node with CometBFT's own application and with one that has no tree, at 1 million rows
	go run -C bench . peers --rows 1000000

.PHONY: conformance
conformance: ## Recompute the test vectors with independent libraries; call a node and its gateway with the clients of others
	conformance/run
	conformance/web/run
	conformance/rest/run

.PHONY: crowd
crowd: ## Have 1,000 clients listen to one node while 500 messages commit in a second
	go test ./internal/rest/crowd -count 1 -v -crowd 1000 -seconds 20
