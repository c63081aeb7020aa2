"""Reads all requests of a file for each line of standard input, which names the call, and prints the nanoseconds of
processor time that it took: what `cargo x bench python` compares with the library."""

from __future__ import annotations

import struct
import sys
import time
from pathlib import Path

import pyarrow as pa

import tamiz


def requests(path: Path) -> list[bytes]:
    content = path.read_bytes()
    found = []
    at = 0
    while at < len(content):
        (length,) = struct.unpack_from("<I", content, at)
        found.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def main() -> None:
    rows = requests(Path(sys.argv[1]))
    column = pa.array(rows, pa.binary())
    canonicalizer = tamiz.Canonicalizer()
    given = {"canonicalize_arrow": column, "canonicalize_many": rows}
    for call in map(str.strip, sys.stdin):
        started = time.process_time_ns()
        made = getattr(canonicalizer, call)(given[call])
        print(time.process_time_ns() - started, flush=True)
        assert len(made) == len(rows)


if __name__ == "__main__":
    main()
