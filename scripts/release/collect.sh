#!/usr/bin/env bash
# Adds to what was built in `target/release-files` what belongs to all of it: the bill of materials, `install.sh`, and one
# file of checksums.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
files=target/release-files
mkdir -p "$files"
python3 scripts/release/sbom.py > "$files/tamiz.cdx.json"
cp install.sh "$files/"
cd "$files"
shopt -s nullglob
sha256sum -- *.tar.gz *.zip *.whl tamiz.cdx.json install.sh > SHA256SUMS
cat SHA256SUMS
