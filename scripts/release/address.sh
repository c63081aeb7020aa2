#!/usr/bin/env bash
# Writes the address of the repository into everything that is published from it: manifests, `pyproject.toml`,
# `install.sh`. The release workflow runs it, since only it knows where the repository is.
#
#   scripts/release/address.sh https://github.com/OWNER/NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
address="${1:?which address?}"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)"
edit() { sed -i.before "$1" "$2" && rm -f "$2.before"; }
for manifest in crates/*/Cargo.toml; do
  grep -q '^repository' "$manifest" || edit "s|^license.workspace = true$|&\\
repository = \"$address\"|" "$manifest"
done
grep -q '^\[project.urls\]' pyproject.toml || cat >> pyproject.toml <<END

[project.urls]
Repository = "$address"
Documentation = "$address/blob/main/docs/python.md"
Changelog = "$address/blob/main/CHANGELOG.md"
Issues = "$address/issues"
END
edit "s|@RELEASES@|$address/releases/download/v$version|" install.sh
