# Everything a newcomer needs: `make validate` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
GRID ?= quick
# Test files side by side: 2, as those of test-all drive load; here one more than there are cores, as some wait.
test test-fast: WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
.PHONY: help validate experiment setup build lint lint-eslint lint-other lint-actions format test test-all test-fast test-cluster package site clean

N8N_CAPACITY := node capacity/bin/n8n-capacity.js
JEST = npm run --silent jest -- --maxWorkers=$(or $(WORKERS),2)
# A stamp is written last, so that an install or build that was interrupted is never taken for a finished one.
DEPENDENCIES := node_modules/.dependencies
SITE_DEPENDENCIES := site/node_modules/.dependencies
BUILT := dist/.built
SOURCES := $(shell find nodes credentials capacity/src experiments/src -type f 2>/dev/null) tsconfig.json tsconfig.node.json $(wildcard */tsconfig.json)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
	@echo
	@echo '  make validate ARGS="--target 20/s"     ARGS goes to n8n-capacity validate (--help lists what it takes)'

validate: $(BUILT) ## find about what the chart's default deployment takes (6 min), and write a report
	@$(N8N_CAPACITY) validate $(or $(ARGS),--precision 40%)

experiment: $(BUILT) ## repeat an experiment: NAME=heap-size [GRID=full]; docs/experiments has a run of each
	@experiments/run.sh "$(NAME)" $(GRID) $(ARGS)

setup: $(BUILT) ## install all runtimes and tools that tests need (validate installs what it needs itself)
	@$(N8N_CAPACITY) doctor --fix --all

build: $(BUILT) ## compile the node package and n8n-capacity

test: setup lint ## lint, all unit tests, one real run of each mode of n8n, the node in the editor (11 min)
	@scripts/ensure-test-packages.sh
	@$(JEST) --selectProjects node fast core $(ARGS)

test-all: setup lint $(if $(shell command -v actionlint go),lint-actions) $(SITE_DEPENDENCIES) ## the same and every other test that needs no cluster (up to an hour)
	@scripts/ensure-test-packages.sh
	@$(JEST) --selectProjects node fast core integration $(ARGS)

test-fast: $(BUILT) ## the tests that start no n8n (7 min)
	@$(N8N_CAPACITY) doctor --fix --tools
	@$(JEST) --selectProjects node fast $(ARGS)

test-cluster: setup ## the chart on a real Kubernetes: KUBECONFIG's, else kind, else one made here (test/cluster)
	@test/cluster/cluster.sh run $(JEST) --selectProjects cluster $(ARGS)

lint: $(BUILT) ## ESLint, Prettier, the order of the folders, type check
	@$(MAKE) --no-print-directory -j2 lint-eslint lint-other

# The two halves of lint, which run side by side. Each reads only what has changed since the last time; that a type of another
# file has changed, ESLint does not see. CI reads all.
lint-eslint:
	@npm run --silent lint:eslint

lint-other:
	@npm run --silent lint:other

lint-actions: ## actionlint on .github/workflows, where Go or actionlint is
	@scripts/actionlint.sh

format: $(DEPENDENCIES) ## let Prettier write
	@npm run --silent format

package: $(BUILT) ## the chart and both npm packages as files, in dist/packages
	@$(N8N_CAPACITY) doctor --fix --tools
	@scripts/package.sh $(ARGS)

site: $(SITE_DEPENDENCIES) ## build docs/ as a static site, in dist/site; a dead link is an error
	@npm run --silent site

clean: ## remove what was built here (the cache in ~/.cache/n8n-tuned stays)
	rm -rf dist capacity/dist experiments/dist node_modules site/node_modules results

$(DEPENDENCIES): package.json package-lock.json capacity/package.json experiments/package.json
	@echo '… installing npm dependencies (1 min)'
	@# not "npm ci": it refuses a lock that lacks optional packages of other platforms, as some registries do
	@npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

$(SITE_DEPENDENCIES): site/package.json site/package-lock.json
	@echo '… installing the site generator (1 min)'
	@npm install --prefix site --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

$(BUILT): $(DEPENDENCIES) $(SOURCES)
	@npm run --silent build
	@touch $@
