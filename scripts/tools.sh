#!/usr/bin/env bash
# Puts what builds programs and packages for others below `target/tools`: maturin, cargo-zigbuild and zig, which is a
# C compiler and linker for every Linux. Prints the folder of the programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools="${CARGO_TARGET_DIR:-$PWD/target}/tools"
wanted="maturin==1.16.0 cargo-zigbuild==0.24.0 ziglang==0.15.2"
if [[ "$(cat "$tools/installed" 2>/dev/null)" != "$wanted" ]]; then
  python3 -m venv --clear "$tools" >&2
  # shellcheck disable=SC2086
  "$tools"/bin/pip --quiet --disable-pip-version-check install $wanted >&2
  echo "$wanted" > "$tools/installed"
fi
echo "$tools/bin"
