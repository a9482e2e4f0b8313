# `just --list` shows the recipes. None is needed to build, run or test docent.

set shell := ["bash", "-euo", "pipefail", "-c"]

wasmtime_version := "48.0.8"
cargo_fuzz_version := "0.13.2"
edits_peers := "server-filesystem=target/edits/node_modules/.bin/mcp-server-filesystem patchloom=target/edits/bin/patchloom mcp-text-editor=target/edits/venv/bin/mcp-text-editor"

# Build the program, with the component in it
build:
    cargo build --release

# Run every test
test:
    cargo test --workspace

# Test one crate of the guest without the host: `just guest text`, or those of its tests that hold a word
guest crate word="":
    cargo test -p docent-{{ crate }} -- {{ quote(word) }}

# Run the conformance cases whose names hold NAME: without the host, then on the component
case name:
    cargo test -p docent-conformance --test natively -- {{ quote(name) }}
    cargo test -p docent-tests --test conformance -- {{ quote(name) }}

# Write what is answered now into the conformance cases and the Markdown answers, or those of NAME
bless name="":
    BLESS=1 cargo test -p docent-tests --test conformance -- {{ quote(name) }}
    git status --short tests/conformance

# Run the random tests of the guest's crates over other cases than CI's, `rounds` times
soak rounds="20":
    for round in $(seq {{ rounds }}); do cargo test --release --quiet -p docent-text -p docent-document -p docent-edit -p docent-rank -p docent-tree -p docent-corpus -p docent-tools -p docent-code -p docent-extract; done

# Kill programs that write, `rounds` times with a state directory and as often without, and see what is left
killed rounds="2000":
    ROUNDS={{ rounds }} cargo test --release -p docent --test e2e -- writing::

# Cut the power under a program that writes, on ext4 and xfs in files (as root; see tests/outside/power/cut)
power rounds="100":
    cargo build --release
    sudo tests/outside/power/cut target/release/docent {{ rounds }}

# proc-macro2 gives no places in a text where `cfg(fuzzing)` is set, so it is not.
# Search for inputs that break a law or take too long (`ls tests/fuzz/fuzz_targets`), on stable Rust; cargo-fuzz is installed below target/
fuzz target seconds="600":
    [ -x target/tools/bin/cargo-fuzz ] || cargo install cargo-fuzz --version {{ cargo_fuzz_version }} --locked --root target/tools
    mkdir -p target/fuzz/{seeds,corpus,artifacts}/{{ quote(target) }}
    FUZZ_SEEDS="$PWD"/target/fuzz/seeds/{{ quote(target) }} PATH="$PWD/target/tools/bin:$PATH" \
        cargo fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz --release --sanitizer none --no-cfg-fuzzing {{ quote(target) }} \
        "$PWD"/target/fuzz/{corpus,seeds}/{{ quote(target) }} -- \
        -artifact_prefix="$PWD"/target/fuzz/artifacts/{{ quote(target) }}/ \
        -max_total_time={{ seconds }} -max_len=4096 -timeout=20 -rss_limit_mb=4096

# Check formatting and lints
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Write what the program prints now into the examples of README.md and docs/, and redraw their terminal
examples:
    BLESS=1 cargo test -p docent --test e2e -- book::
    just picture
    git status --short README.md docs

# Draw docs/terminal.svg: what the program shows on a terminal
picture:
    cargo build
    python3 docs/pictures/terminal.py "${CARGO_TARGET_DIR:-target}/debug/docent"

# Draw docs/chart.svg from the figures in docs/benchmarks.md
chart:
    python3 docs/pictures/chart.py

# Build the documentation of the Rust code
doc:
    RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps

# Measure against rg and grep, and print the table, or the rows of some parts: `just bench edits meaning`
bench *parts:
    cargo run --profile dist -p docent-tests --bin bench -- {{ parts }}

# Measure large trees beside `rg`, `fdfind` and `find`: 100 000 documents and 1 000 000 files, which are made below the target directory in some minutes; `--remove` removes them
bench-large *arguments:
    cargo run --profile dist -p docent-test-large -- {{ arguments }}

# Measure the CPU of the first command, beside a minimal host of wasmtime, in folders below DIR; `--tests` measures what the tests compile as well
first-command dir *arguments:
    tests/measure/first-command {{ quote(dir) }} {{ arguments }}

# Measure how good answers are, on sets of documents and queries and on repositories in DIR, beside the last release; `--record NAME` keeps the figures, `--embedder SPEC` measures what a model adds on the sets, and nothing else
eval dir *arguments:
    cargo run --release -p docent-test-eval -- {{ quote(dir) }} {{ arguments }}

# Measure on the sets in DIR what each model adds that `tests/measure/eval/embedders` names, or those that are named here; they are installed below target/
eval-models dir *models:
    tests/measure/eval/models {{ quote(dir) }} {{ models }}

# Fetch the repositories that `eval` asks about into DIR, which lies outside this one
eval-fetch dir:
    tests/measure/eval/fetch {{ quote(dir) }}

# Spoil real edits from the histories of the repositories in DIR as models spoil them, and count what is made, refused and wrong, and what edits cost, beside `server-filesystem`, `patchloom` and `mcp-text-editor`, which are installed below target/
edits dir:
    npm install --silent --no-audit --no-fund --prefix target/edits @modelcontextprotocol/server-filesystem@2026.8.31
    [ -x target/edits/bin/patchloom ] || cargo install patchloom --version 0.37.6 --locked --no-default-features --features cli,mcp --root target/edits
    [ -x target/edits/venv/bin/mcp-text-editor ] || { python3 -m venv target/edits/venv && target/edits/venv/bin/pip install --quiet mcp-text-editor==1.2.2; }
    cargo build --release
    cargo run --release -p docent-test-edits -- {{ quote(dir) }} {{ edits_peers }}
    cargo run --release -p docent-test-edits -- costs docent=target/release/docent {{ edits_peers }}

# Spoil patches from the histories of the repositories in DIR, and compare what becomes of them with `git apply`
patches dir:
    cargo run --release -p docent-test-edits -- patches {{ quote(dir) }}

# Fetch the histories that `edits` takes its edits from into DIR, which lies outside this repository
edits-fetch dir:
    tests/measure/edits/fetch {{ quote(dir) }}

# Compare the imports found in DIR with those that dependency-cruiser (`typescript`), grimp (`python`, with the paths of its packages) or rustc (`rust`) finds, which are installed below target/
graph language dir *arguments:
    tests/measure/graph/compare {{ language }} {{ quote(dir) }} {{ arguments }}

# Compare the broken links of the documentation in DIR with what `lychee` and `rumdl` find, which are installed below target/, and move what it holds
links dir:
    cargo build --release -p docent-test-links
    tests/measure/links/run {{ quote(dir) }}

# Fetch the documentation that `links` compares into DIR, which lies outside this repository
links-fetch dir:
    tests/measure/links/fetch {{ quote(dir) }}

# Compare the words that are read of the PDF files in DIR with those of MuPDF and pdfminer.six, which are installed below target/
pdf dir *before:
    cargo build --release -p docent-test-pdf
    tests/measure/pdf/run {{ quote(dir) }} {{ before }}

# Fetch the PDF files that `pdf` compares into DIR, which lies outside this repository
pdf-fetch dir:
    tests/measure/pdf/fetch {{ quote(dir) }}

# Compare what docent reads of the documents in DIR with what they hold, beside markitdown, kreuzberg, Tika, pandoc, kordoc, officeparser and others, which are installed below target/; `--half unseen`, `--only FORMAT` and others are options of compare.py
formats dir *options:
    cargo build --release -p docent-extract --example read
    tests/measure/formats/run {{ quote(dir) }} "${CARGO_TARGET_DIR:-target}/release/examples/read" {{ options }}

# Fetch the documents that `formats` compares into DIR, which lies outside this repository
formats-fetch dir:
    tests/measure/formats/fetch {{ quote(dir) }}

# Read the documents in the tests of pypdf, and some damages done to each, through the component
foreign damages="4":
    mkdir -p target/foreign
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest target/foreign pypdf
    tar -xzf target/foreign/pypdf-*.tar.gz -C target/foreign
    cargo run --release -p docent-tests --bin foreign -- target/foreign {{ damages }}

# Give hostile documents, and the damaged ones of the tests or of DIR, to the program one by one, and print what each costs
hostile dir="target/documents":
    mkdir -p {{ quote(dir) }}
    [ {{ quote(dir) }} != target/documents ] || cargo run -p docent-extract --example read -- --fixtures target/documents
    cargo build --release
    tests/outside/formats/hostile target/release/docent {{ quote(dir) }}

# Write docent.wasm as it is published, for use in other hosts
component:
    cargo run --profile dist --quiet -- component > docent.wasm
    @ls -l docent.wasm

# Write docent-packed.wasm, the component with the model in DIR inside, for other hosts; docs/meaning.md has the variables that say what the model wants
packed-component dir:
    cargo run --profile dist --quiet -- component --open > target/docent-open.wasm
    DOCENT_MODEL_DIR="$(realpath {{ quote(dir) }})" \
        cargo build --quiet -p docent-packed-embedder-component --target wasm32-wasip2 --profile guest
    .ci/wac plug target/docent-open.wasm \
        --plug target/wasm32-wasip2/guest/docent_packed_embedder_component.wasm --output docent-packed.wasm
    @ls -l docent-packed.wasm

# Write docent-http.wasm, the component with MCP over wasi:http before it, for engines that serve components
http-component: component
    cargo build --quiet -p docent-http-component --target wasm32-wasip2 --profile guest
    cargo run --release --quiet -p docent-compose -- \
        target/wasm32-wasip2/guest/docent_http_component.wasm docent.wasm > docent-http.wasm
    @ls -l docent-http.wasm

# Write docent-pillars.wasm, the component with the pillars alone, for hosts that show a model every function
pillars-component: component
    cargo build --quiet -p docent-pillars-component --target wasm32-wasip2 --profile guest
    cargo run --release --quiet -p docent-compose -- --world agent \
        target/wasm32-wasip2/guest/docent_pillars_component.wasm docent.wasm > docent-pillars.wasm
    @ls -l docent-pillars.wasm

# Install the wasmtime command line below target/
wasmtime-cli:
    [ -x target/tools/bin/wasmtime ] || cargo install wasmtime-cli --version {{ wasmtime_version }} --locked \
        --no-default-features --features run,compile,component-model,cranelift,profiling --root target/tools

# Search DIR with the component under the wasmtime command line
wasmtime word="component" dir="docs": component wasmtime-cli
    target/tools/bin/wasmtime run --dir {{ quote(dir) }}::/docs \
        --invoke {{ quote('search-documents("' + word + '", none)') }} docent.wasm

# Show in which functions of the component a call spends its time, with `perf`: `just profile 'smart-search("word", none)' DIR`
profile call dir="docs": wasmtime-cli
    CARGO_PROFILE_GUEST_STRIP=debuginfo cargo run --profile dist --quiet -- component > target/profiled.wasm
    # Compiled before: that takes far longer than a call.
    target/tools/bin/wasmtime compile -o target/profiled.cwasm target/profiled.wasm
    perf record --freq 5000 --output target/perf.data -- target/tools/bin/wasmtime run --allow-precompiled \
        --profile perfmap --dir {{ quote(dir) }}::/docs --invoke {{ quote(call) }} target/profiled.cwasm >/dev/null
    perf report --input target/perf.data --stdio --no-children --percent-limit 1 --sort symbol

# Run the component in wasmtime's Python package, which is installed below target/, also with the pillars alone
stock-host: pillars-component
    .ci/stock_host docent.wasm
    .ci/stock_host --pillars docent-pillars.wasm

# Drive the program with the official MCP clients, which are installed below target/
clients: build
    tests/outside/clients/run target/release/docent

# Run the official conformance tests of the protocol against `docent serve`
conformance-mcp:
    cargo build --release -p docent -p docent-test-named-tools-server
    tests/outside/clients/conformance target/release/docent

# Open every view of the page in Chromium and leave screenshots below target/page; what else it needs is installed there
page: build
    tests/outside/page/run target/release/docent

# Check what stands in deploy/: the manifests, and three replicas behind Caddy and nginx that are restarted while calls run
deploy: build
    tests/outside/deploy/run target/release/docent

# Run the program as the container image does, on a read-only root, as nobody (as root, on Debian)
deploy-container: build
    sudo tests/outside/deploy/container target/release/docent

# Serve a tree with docent-http.wasm under `wasmtime serve`, which is installed below target/, and ask it as clients do
deploy-wasmtime: http-component
    tests/outside/deploy/wasmtime docent-http.wasm target/dist/docent

# Run docent-http.wasm on two wasmCloud hosts in networks of their own, and stop one (as root, on Debian)
deploy-wasmcloud: http-component
    sudo tests/outside/deploy/wasmcloud docent-http.wasm

# Measure `docent serve` under load, beside other servers of MCP over HTTP, and print a table, in some minutes and better on a quiet machine
load:
    cargo build --profile dist
    tests/measure/load/run target/dist/docent

# Fetch what `dist` and `dist-check` need; but for crates and Rust's targets it stays below target/
dist-fetch:
    deploy/packages/fetch

# Make the packages in target/dist-artifacts without the network, after `just dist-fetch`: for both targets, or those that are named
dist *targets:
    deploy/packages/dist {{ targets }}

# Validate the packages or install them into empty places, and search with each; or those checks whose names hold a word
dist-check word="":
    deploy/packages/check {{ quote(word) }}

# Make a release and check it, and print what publishes it
release version:
    deploy/packages/release {{ quote(version) }}

# Everything that is run before a change is taken
ci:
    .ci/run
