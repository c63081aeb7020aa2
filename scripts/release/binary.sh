#!/usr/bin/env bash
# Builds the command with all features for a target, and packs it with its manual, completions and licences:
#
#   scripts/release/binary.sh x86_64-unknown-linux-musl
#
# The archive and its checksum go to `target/release-files`. Linux programs are static: zig links them to musl.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target="${1:?which target?}"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)"
out="$PWD/target/release-files"
name="tamiz-$version-$target"
arguments=(--locked --profile dist --package tamiz-cli --all-features --target "$target")

case "$target" in
  *-linux-musl)
    tools="$(scripts/tools.sh)"
    eval "$(scripts/toolchain.sh "$target")"
    export PATH="$tools:$PATH"
    # shellcheck disable=SC2086
    cargo zigbuild "${arguments[@]}" ${TAMIZ_BUILD_STD:-}
    ;;
  *) cargo build "${arguments[@]}" ;;
esac

program=tamiz
[[ "$target" != *windows* ]] || program=tamiz.exe
built="${CARGO_TARGET_DIR:-target}/$target/dist/$program"
folder="$out/$name"
rm -rf "$folder" && mkdir -p "$folder"
cp "$built" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder"
# Manual and completions come from the program, run here or by qemu (`qemu-user-static`).
runs=("$built")
if [[ "$target" == *-linux-* && "$target" != "$(uname -m)"-* ]]; then runs=("qemu-${target%%-*}-static" "$built"); fi
if "${runs[@]}" --version >/dev/null 2>&1; then
  mkdir -p "$folder/man" "$folder/completions"
  "${runs[@]}" man --out "$folder/man"
  for shell in bash fish zsh; do "${runs[@]}" completions "$shell" > "$folder/completions/tamiz.$shell"; done
else
  echo "$built does not run here: the archive has no manual and no completions" >&2
fi
cd "$out"
if [[ "$target" == *windows* ]]; then
  archive="$name.zip"
  rm -f "$archive"
  if command -v zip >/dev/null; then zip -qr "$archive" "$name"; else 7z a -bd "$archive" "$name" >/dev/null; fi
else
  archive="$name.tar.gz"
  tar --owner=0 --group=0 -czf "$archive" "$name" 2>/dev/null || tar -czf "$archive" "$name"
fi
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi > "$archive.sha256"
echo "$out/$archive: program $(wc -c < "$folder/$program") bytes, archive $(wc -c < "$archive") bytes"
