# Every target makes .venv on first use, and anew when it no longer fits: pyproject.toml or
# constraints.txt changed, the checkout moved, or its interpreter is gone.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help venv train test lint bench clean

PY := .venv/bin/python
# Written last, so that a half-made .venv never passes for a whole one.
STAMP := .venv/made-from
# A cache of its own: compiled with bounds checks, the kernels must not mix with those without.
BOUNDSCHECK := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$PWD/.cache/numba-boundscheck"

help:
	@echo 'make train   a short self-play run, then matches against the baselines (minutes)'
	@echo 'make test    ruff, mypy and every test'
	@echo 'make lint    ruff and mypy alone'
	@echo 'make bench   decisions per second, ours and two peers'"'"
	@echo 'make clean   remove .venv, caches and build results; runs/ stays'

venv:
	@made_from="$$(pwd; cat pyproject.toml constraints.txt | cksum)"; \
	if $(PY) -c '' 2>/dev/null && [ "$$(cat $(STAMP) 2>/dev/null)" = "$$made_from" ]; then exit 0; fi; \
	for python in "$${PYTHON:-python3.11}" "$${PYTHON:-python3}"; do \
	  if "$$python" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found="$$python"; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then \
	  echo "zhuoji needs Python 3.11 or newer with its venv module; found none as" \
	    "$${PYTHON:-python3.11 or python3}. Name one: make PYTHON=/path/to/python3.11 ..." >&2; \
	  exit 1; \
	fi; \
	echo "making .venv with $$("$$found" -V) (some minutes the first time)"; \
	rm -f $(STAMP); rm -rf .venv; "$$found" -m venv .venv; \
	$(PY) -m pip install -qq --progress-bar off -c constraints.txt -e '.[train,arena,libraries,onnx,distributed,test]'; \
	printf '%s\n' "$$made_from" > $(STAMP)

train: venv
	@$(PY) -m training.selfplay --config configs/selfplay/quick.yaml

lint: venv
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

test: lint
	@$(PY) -m pytest -q -n 2 --dist loadfile
	@echo 'once more with bounds checks'
	@$(BOUNDSCHECK) $(PY) -m pytest -q -m boundscheck

bench: venv
	@$(PY) -m zhuoji_env bench
	@$(PY) -c 'import riichienv, rlcard' 2>/dev/null \
	  || $(PY) -m pip install -qq --progress-bar off -c constraints.txt -e '.[bench]'
	@$(PY) configs/bench/peers.py

clean:
	@rm -rf .venv .cache build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache zhuoji.egg-info
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
