# Two commands do everything on a fresh Debian or Ubuntu machine that has Rust:
#   make demo   install what is missing, build, show the main job on a shipped example
#   make test   install what is missing, run the whole gate
# Others: make bench, make experiments, make fmt, make setup.

PACKAGES := gcc libc6-dev openjdk-17-jdk-headless chromium junit4 junit5 libhamcrest-java libopentest4j-java \
            libapiguardian-java libcommons-lang3-java libcommons-collections4-java libguava-java
BIN := target/release/nonpareil

.PHONY: setup build demo test bench experiments fmt clean

setup:
	@tools/install-packages $(PACKAGES)

build: setup
	cargo build --release --quiet

demo: build
	@tools/demo $(BIN)

test: setup
	cargo fmt --check
	cargo clippy --workspace --all-targets --release --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --quiet
	cargo run --release --quiet -p xtask -- tidy
	cargo test --workspace --release

# RECORD=1 keeps the figures in benches/results; do that on a quiet machine only.
bench: build
	cargo run --release --quiet -p xtask -- bench $(if $(RECORD),--record) $(BIN)

# Writes docs/experiments.md: the papers' numbers beside ours.
experiments: build
	cargo run --release --quiet -p xtask -- experiments $(BIN)

fmt:
	cargo fmt

clean:
	cargo clean
