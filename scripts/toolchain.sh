#!/usr/bin/env bash
# Finds a compiler for a target that this machine's toolchain may lack, and prints what to export for it:
#
#   eval "$(scripts/toolchain.sh wasm32-unknown-unknown)"
#   cargo build --target wasm32-unknown-unknown $TAMIZ_BUILD_STD
#
# A target of rustup's is used where it is installed (`rustup target add`, which this script leaves to you). Otherwise
# Debian's `rustc-web` is unpacked below `target/toolchain`, and the standard library is built from its sources. Nothing
# outside `target/` is changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${1:?which target?}"

if [[ "${TAMIZ_TOOLCHAIN:-}" != debian ]]; then
  sysroot="$(rustc --print sysroot)"
  if [[ -d "$sysroot/lib/rustlib/$target/lib" ]]; then
    echo "export TAMIZ_BUILD_STD="
    exit 0
  fi
fi

packages=(rustc-web libstd-rust-web-dev libstd-rust-web-1.96 rust-web-src libllvm22 lld-22)
folder="${CARGO_TARGET_DIR:-$PWD/target}/toolchain"
root="$folder/root"
if [[ ! -e "$folder/ready" ]]; then
  command -v apt-get >/dev/null || { echo "no target $target: run 'rustup target add $target'" >&2; exit 1; }
  rm -rf "$root" && mkdir -p "$folder/packages" "$root"
  (cd "$folder/packages" && apt-get download "${packages[@]}") >&2
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$root"; done
  # Where this compiler looks for the sources of the standard library.
  mkdir -p "$root/usr/lib/rustlib/src"
  rm -f "$root/usr/lib/rustlib/src/rust"
  ln -s "$(echo "$root"/usr/src/rustc-*)" "$root/usr/lib/rustlib/src/rust"
  libraries="$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/llvm-22/lib"
  for program in rustc rustdoc; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/$program" > "$folder/$program"
    chmod +x "$folder/$program"
  done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/wasm-ld-22" > "$folder/wasm-ld"
  chmod +x "$folder/wasm-ld"
  touch "$folder/ready"
fi
variable="$(echo "$target" | tr 'a-z-' 'A-Z_')"
echo "export RUSTC='$folder/rustc' RUSTDOC='$folder/rustdoc' RUSTC_BOOTSTRAP=1"
[[ "$target" != wasm32-* ]] || echo "export CARGO_TARGET_${variable}_LINKER='$folder/wasm-ld'"
echo "export TAMIZ_BUILD_STD='-Zbuild-std=std,panic_abort'"
