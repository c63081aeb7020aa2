#!/usr/bin/env bash
# Makes the root file system of the container image from a static program, and the image itself where there is Docker:
#
#   scripts/release/image.sh x86_64-unknown-linux-musl
#
# The program is the one that was built here, else the one of the archive in `target/release-files`. The folder is `target/release-files/image`; `Dockerfile` copies it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target="${1:?which target?}"
program="${CARGO_TARGET_DIR:-target}/$target/dist/tamiz"
root="target/release-files/image"
if [[ ! -e "$program" ]]; then
  archive="$(echo target/release-files/tamiz-*-"$target".tar.gz)"
  tar -xzf "$archive" -C target/release-files
  program="${archive%.tar.gz}/tamiz"
fi
rm -rf "$root" && mkdir -p "$root/etc"
install -m 755 "$program" "$root/tamiz"
cp LICENSE-MIT LICENSE-APACHE "$root/"
echo "tamiz:x:65532:65532::/:/tamiz" > "$root/etc/passwd"
echo "tamiz:x:65532:" > "$root/etc/group"
if docker info >/dev/null 2>&1; then
  docker build --build-context "built=$root" --tag "${IMAGE:-tamiz}" .
else
  echo "no Docker daemon: the root file system is made, the image is not" >&2
fi
