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

folder="${CARGO_TARGET_DIR:-$PWD/target}/toolchain"
root="$folder/root"
if [[ ! -e "$folder/ready" ]]; then
  command -v apt-get >/dev/null || { echo "no target $target: run 'rustup target add $target'" >&2; exit 1; }
  rm -rf "$folder" && mkdir -p "$folder/packages" "$folder/lists/partial" "$root"
  # The machine's own lists may be old, and are not this script's to change.
  lists=(-o "Dir::State::lists=$folder/lists")
  apt-get "${lists[@]}" update >&2
  needs() { apt-cache "${lists[@]}" depends "$1" | sed -n "s/^ *Depends: \($2\)$/\1/p" | head -1; }
  standard="$(needs libstd-rust-web-dev 'libstd-rust-web-[0-9.]*')"
  llvm="$(needs "$standard" 'libllvm[0-9]*')"
  packages=(rustc-web libstd-rust-web-dev "$standard" rust-web-src "$llvm" "lld-${llvm#libllvm}")
  (cd "$folder/packages" && apt-get "${lists[@]}" download "${packages[@]}") >&2
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$root"; done
  # Where this compiler looks for the sources of the standard library.
  mkdir -p "$root/usr/lib/rustlib/src"
  rm -f "$root/usr/lib/rustlib/src/rust"
  ln -s "$(echo "$root"/usr/src/rustc-*)" "$root/usr/lib/rustlib/src/rust"
  libraries="$root/usr/lib/$(uname -m)-linux-gnu:$root/usr/lib/llvm-${llvm#libllvm}/lib"
  for program in rustc rustdoc; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/$program" > "$folder/$program"
    chmod +x "$folder/$program"
  done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/wasm-ld-${llvm#libllvm}" > "$folder/wasm-ld"
  chmod +x "$folder/wasm-ld"
  touch "$folder/ready"
fi
variable="$(echo "$target" | tr 'a-z-' 'A-Z_')"
echo "export RUSTC='$folder/rustc' RUSTDOC='$folder/rustdoc' RUSTC_BOOTSTRAP=1"
[[ "$target" != wasm32-* ]] || echo "export CARGO_TARGET_${variable}_LINKER='$folder/wasm-ld'"
# This compiler has no start files of musl: the linker, zig, brings its own.
[[ "$target" != *-linux-musl ]] || echo "export CARGO_TARGET_${variable}_RUSTFLAGS='-C link-self-contained=no'"
echo "export TAMIZ_BUILD_STD='-Zbuild-std=std,panic_abort'"
