#!/bin/sh
# Installs the tamiz command: picks the archive for this machine, checks its checksum, and says where it put the program.
#
#   TAMIZ_RELEASES=URL   where the archives are; the install.sh of a release knows its own
#   TAMIZ_BIN=FOLDER     where the program goes; ~/.local/bin by default
#   TAMIZ_VERSION=X.Y.Z  which release; the one this script came with by default
set -eu

releases="${TAMIZ_RELEASES:-@RELEASES@}"
version="${TAMIZ_VERSION:-0.1.0}"
bin="${TAMIZ_BIN:-$HOME/.local/bin}"

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

case "$releases" in
  @*) fail "this copy is not of a release: set TAMIZ_RELEASES to the address that has the archives" ;;
esac
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "no program for $(uname -s) on $(uname -m); with Rust, build it from source (README.md)" ;;
esac
name="tamiz-$version-$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fetch() {
  case "$1" in
    file://*) cp "${1#file://}" "$2" || fail "cannot read $1" ;;
    http://127.0.0.1:*) curl --proto '=http' -fsSL "$1" -o "$2" || fail "cannot download $1" ;;
    *)
      if command -v curl > /dev/null; then
        curl --proto '=https' --tlsv1.2 -fsSL "$1" -o "$2" || fail "cannot download $1"
      elif command -v wget > /dev/null; then
        wget -q "$1" -O "$2" || fail "cannot download $1"
      else
        fail "neither curl nor wget is here"
      fi
      ;;
  esac
}

fetch "$releases/$name.tar.gz" "$work/$name.tar.gz"
fetch "$releases/$name.tar.gz.sha256" "$work/$name.tar.gz.sha256"
wanted="$(cut -d ' ' -f 1 "$work/$name.tar.gz.sha256")"
if command -v sha256sum > /dev/null; then
  found="$(sha256sum "$work/$name.tar.gz" | cut -d ' ' -f 1)"
elif command -v shasum > /dev/null; then
  found="$(shasum -a 256 "$work/$name.tar.gz" | cut -d ' ' -f 1)"
else
  fail "neither sha256sum nor shasum is here: the archive cannot be checked"
fi
[ -n "$wanted" ] && [ "$wanted" = "$found" ] || fail "the checksum of $name.tar.gz is wrong: nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$bin"
# By renaming, so that a program that runs is not written to.
cp "$work/$name/tamiz" "$bin/.tamiz.new"
chmod 755 "$bin/.tamiz.new"
mv "$bin/.tamiz.new" "$bin/tamiz"
echo "$bin/tamiz: $("$bin/tamiz" --version)"
case ":$PATH:" in
  *":$bin:"*) ;;
  *) echo "$bin is not in PATH: add it, or call $bin/tamiz" ;;
esac
