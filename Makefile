# Everything a newcomer needs: `make validate` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
GRID ?= quick
.PHONY: help validate experiment setup build lint format test test-fast test-cluster clean

N8N_CAPACITY := node capacity/bin/n8n-capacity.js
# A stamp is written last, so that an install or build that was interrupted is never taken for a finished one.
DEPENDENCIES := node_modules/.dependencies
BUILT := dist/.built
SOURCES := $(shell find nodes credentials capacity/src experiments/src -type f 2>/dev/null) tsconfig.json tsconfig.node.json $(wildcard */tsconfig.json)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
	@echo
	@echo '  make validate ARGS="--target 20/s"     ARGS goes to n8n-capacity validate (--help lists what it takes)'

validate: $(BUILT) ## find what the chart's default deployment takes, and write a report
	@$(N8N_CAPACITY) validate $(ARGS)

experiment: $(BUILT) ## repeat an experiment: NAME=heap-size [GRID=full]; docs/experiments has a run of each
	@experiments/run.sh "$(NAME)" $(GRID) $(ARGS)

setup: $(BUILT) ## install all runtimes and tools that tests need (validate installs what it needs itself)
	@$(N8N_CAPACITY) setup --all

build: $(BUILT) ## compile the node package and n8n-capacity

test: setup ## lint, and every test but the cluster's: real n8n, Redis, PostgreSQL, k6, helm, Chromium
	@scripts/ensure-test-packages.sh
	@npm run --silent lint
	@# one after another: tests that start n8n look at what is left on the machine
	@npm run --silent test -- --maxWorkers=1 $(ARGS)

test-fast: $(BUILT) ## the tests that start no n8n (under a minute)
	@$(N8N_CAPACITY) setup --tools
	@npm run --silent test:fast -- $(ARGS)

test-cluster: setup ## the chart on a real Kubernetes: KUBECONFIG's, else kind, else one made here (test/cluster)
	@test/cluster/cluster.sh run npm run --silent test:cluster -- $(ARGS)

lint: $(BUILT) ## ESLint, Prettier, type check
	@npm run --silent lint

format: $(DEPENDENCIES) ## let Prettier write
	@npm run --silent format

clean: ## remove what was built here (the cache in ~/.cache/n8n-tuned stays)
	rm -rf dist capacity/dist experiments/dist node_modules results

$(DEPENDENCIES): package.json package-lock.json capacity/package.json experiments/package.json
	@echo '… installing npm dependencies (1 min)'
	@# not "npm ci": it refuses a lock that lacks optional packages of other platforms, as some registries do
	@npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

$(BUILT): $(DEPENDENCIES) $(SOURCES)
	@npm run --silent build
	@touch $@
