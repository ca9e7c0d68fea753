#!/usr/bin/env bash
# Everything that must hold before a change is taken: formatting, lints, documentation, the book, tests.
# Needs Rust, a C compiler and a Chromium; adds rustfmt and clippy where rustup can, and Chromium where apt-get can.
set -euo pipefail
cd "$(dirname "$0")"

# Installs a rustup component if its cargo command is missing. Says so if that cannot be done: a check
# that was skipped silently would look like one that passed.
need_component() {
    local command=$1 component=$2
    if cargo "$command" --version >/dev/null 2>&1; then
        return
    fi
    if ! command -v rustup >/dev/null || ! rustup component add "$component"; then
        echo "cargo $command is missing and cannot be installed: please install $component" >&2
        exit 1
    fi
}

# Installs a program that some tests need, where that can be done; otherwise what is not tested is said at the end.
not_tested=()
want_tool() {
    local tool=$1 what=$2
    command -v "$tool" >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get install -y "$tool" >/dev/null 2>&1; then
        return
    fi
    not_tested+=("$what: there is no $tool, please install it")
}

# The tests of web pages need a Chromium. Where it can be installed it is; otherwise those tests say what to install.
need_browser() {
    local name
    for name in "${MAZURKA_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            return
        fi
    done
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && apt-get install -y -qq chromium || true
    fi
}

step() {
    echo
    echo "== $*"
    "$@"
}

need_component fmt rustfmt
need_component clippy clippy
need_browser
want_tool zsh "whether the completions load in zsh"
want_tool groff "whether the manual pages render"

step cargo fmt --all --check
step cargo fmt --manifest-path docs/builder/Cargo.toml --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
# The book: built without warnings, and no link that leads nowhere. Clippy compiles its builder: checking first and
# compiling then would go through mdBook twice.
step env RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo run --quiet --manifest-path docs/builder/Cargo.toml \
    --target-dir target/docs --locked
step cargo test --workspace --locked
echo
for what in "${not_tested[@]}"; do
    echo "NOT TESTED: $what"
done
echo "All checks passed."
