# Two commands need no preparation: `make demo` and `make test`. They install what they need into .venv.

PYTHON ?= python3
BIN := .venv/bin
PAGES ?= ../shared/pages  # a folder of saved pages with manifest.jsonl, for `make bench`

.PHONY: demo test nightly check format bench setup clean

demo:
	@$(PYTHON) scripts/bootstrap.py demo
	@out=runs/demo-$$(date +%Y%m%d-%H%M%S); \
	  $(BIN)/windowshop run --tasks demo --limit 10 --site amazon --site ebay --agent rule+options --out $$out && \
	  $(BIN)/windowshop report $$out --score

test: setup
	@$(BIN)/python -m pytest -n auto --dist worksteal

nightly: setup
	@WINDOWSHOP_NIGHTLY=1 $(BIN)/python -m pytest -n auto --dist worksteal \
	  tests/test_closed_loop.py tests/test_crash.py tests/test_fuzz_pages.py tests/threats/test_mutations.py

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup
	@$(BIN)/python bench/translate.py $(PAGES)

setup:
	@$(PYTHON) scripts/bootstrap.py

clean:
	rm -rf .venv build dist *.egg-info
