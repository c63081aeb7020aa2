#!/usr/bin/env bash
# Builds a wheel of the Python package for a target, with all features, into `target/release-files`:
#
#   scripts/release/wheel.sh x86_64-unknown-linux-gnu      manylinux, by zig
#   scripts/release/wheel.sh x86_64-unknown-linux-musl     musllinux
#   scripts/release/wheel.sh sdist                         the sources
#
# maturin itself checks that a wheel needs nothing beyond what manylinux allows, and fails otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target="${1:?which target?}"
out="$PWD/target/release-files"
tools="$(scripts/tools.sh)"
export PATH="$tools:$PATH"
mkdir -p "$out"
if [[ "$target" == sdist ]]; then
  maturin sdist --out "$out"
  exit
fi
arguments=(--locked --profile dist --target "$target" --out "$out")
case "$target" in
  *-linux-gnu) arguments+=(--zig --compatibility manylinux2014) ;;
  *-linux-musl)
    eval "$(scripts/toolchain.sh "$target")"
    arguments+=(--zig --compatibility musllinux_1_2)
    ;;
esac
maturin build "${arguments[@]}"
