#!/usr/bin/env bash
# Prints how large the programs are, and fails where one is larger than it may be:
# 20 MB as `cargo build --release` makes it, 16 MB as it is released.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder="${CARGO_TARGET_DIR:-target}"
check() {
  local size
  size="$(wc -c < "$1")"
  echo "$1: $((size / 1000)) kB, at most $(($2 / 1000)) kB"
  ((size <= $2))
}
[[ ! -e "$folder/release/tamiz" ]] || check "$folder/release/tamiz" 20000000
for program in "$folder"/*/dist/tamiz; do
  [[ ! -e "$program" ]] || check "$program" 16000000
done
