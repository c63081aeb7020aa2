#!/usr/bin/env bash
# Tries what the other scripts built, in an empty folder: the archive by `install.sh` from a server of files, the wheel and
# the sources in an environment of their own, and the image's root file system as the only one there is (as root; with
# Docker, the image too).
#
#   scripts/release/try.sh archive|wheel|sdist|image
#   scripts/release/try.sh emulated aarch64-unknown-linux-musl     an archive for another processor, by qemu
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root="$PWD"
files="$root/target/release-files"
empty="$(mktemp -d)"
trap 'rm -rf "$empty"' EXIT
request="$root/examples/login.http"
# What every build of the command prints for that request stands in the README.
expected="$(awk '/^M:GET$/ {on = 1} on && /^```/ {exit} on' "$root/README.md")"

check() {
  [[ "$1" == "$expected" ]] || { echo "not the document of the README:"; echo "$1"; exit 1; }
}

case "${1:?archive, wheel, sdist, image or emulated?}" in
  archive)
    cd "$empty"
    python3 -u -m http.server --bind 127.0.0.1 --directory "$files" 0 > "$empty/served" 2>/dev/null &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; rm -rf "$empty"' EXIT
    until grep -q . "$empty/served"; do kill -0 "$server"; sleep 0.1; done
    address="$(sed 's|.*(\(http://[^/]*\)/).*|\1|' "$empty/served")"
    TAMIZ_RELEASES="$address" TAMIZ_BIN="$empty/bin" HOME="$empty" sh "$root/install.sh"
    kill "$server"
    check "$(env -i "$empty/bin/tamiz" canon "$request")"
    env -i "$empty/bin/tamiz" batch "$request" -o "$empty/out.parquet" --quiet
    env -i "$empty/bin/tamiz" serve --help > "$empty/help"
    # A damaged archive is refused.
    mkdir "$empty/bad" && cp "$files"/*.tar.gz "$files"/*.sha256 "$empty/bad"
    for archive in "$empty"/bad/*.tar.gz; do echo >> "$archive"; done
    if TAMIZ_RELEASES="file://$empty/bad" TAMIZ_BIN="$empty/bin2" HOME="$empty" sh "$root/install.sh"; then
      echo "install.sh took a damaged archive" && exit 1
    fi
    [[ ! -e "$empty/bin2/tamiz" ]]
    ;;
  emulated)
    target="${2:?which target?}"
    emulator="qemu-${target%%-*}-static"
    tar -xzf "$files"/tamiz-*-"$target".tar.gz -C "$empty"
    inside=("$emulator" "$empty"/tamiz-*-"$target"/tamiz)
    check "$("${inside[@]}" canon "$request")"
    "${inside[@]}" batch "$request" -o "$empty/out.parquet" --quiet
    "${inside[@]}" learn "$root/examples/shop.har" -o "$empty/site.model" > "$empty/learned"
    "${inside[@]}" score --model "$empty/site.model" "$request" > "$empty/scored"
    "${inside[@]}" serve --listen 127.0.0.1:0 --log-level off > "$empty/address" &
    service=$!
    trap 'kill "$service" 2>/dev/null || true; rm -rf "$empty"' EXIT
    until [[ -s "$empty/address" ]]; do kill -0 "$service"; sleep 0.1; done
    "${inside[@]}" serve --probe "$(sed 's|http://\(.*\)/|\1|' "$empty/address")"
    ;;
  wheel | sdist)
    python3 -m venv "$empty/python"
    if [[ "$1" == wheel ]]; then
      package="$(ls "$files"/tamiz-*manylinux*x86_64.whl)"
      options=(--no-index)
    else
      package="$files/tamiz-$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1).tar.gz"
      options=()
    fi
    cd "$empty"
    python/bin/pip --quiet --disable-pip-version-check install "${options[@]}" "$package"
    check "$(python/bin/python -c "import sys, tamiz
print(tamiz.Canonicalizer().canonicalize(open(sys.argv[1], 'rb').read()), end='')" "$request")"
    ;;
  image)
    # Nothing of this machine is there but its kernel; nobody is root, and nothing can be written.
    copy="$empty/root" && cp -r "$files/image" "$copy" && cp "$request" "$copy/request.http" && chmod -R a-w "$copy"
    inside=(chroot --userspec=65532:65532 "$copy" /tamiz)
    check "$("${inside[@]}" canon /request.http)"
    "${inside[@]}" serve --listen 127.0.0.1:0 --log-level off > "$empty/address" &
    service=$!
    trap 'kill "$service" 2>/dev/null || true; rm -rf "$empty"' EXIT
    until [[ -s "$empty/address" ]]; do kill -0 "$service"; sleep 0.1; done
    "${inside[@]}" serve --probe "$(sed 's|http://\(.*\)/|\1|' "$empty/address")"
    if docker info >/dev/null 2>&1; then
      check "$(docker run --rm --read-only -i "${IMAGE:-tamiz}" canon < "$request")"
    else
      echo "no Docker daemon: tried as a root file system only"
    fi
    ;;
esac
echo "ok: $1"
