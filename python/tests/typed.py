"""Checked by mypy, not run: the stubs hold against real use."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional, Tuple

import tamiz

canonicalizer = tamiz.Canonicalizer(Path("tamiz.toml"), profile="full")
document: tamiz.Document = canonicalizer.canonicalize(b"", evidence=True)
documents: List[tamiz.Document] = canonicalizer.canonicalize_many([b"", bytearray(), memoryview(b"")], threads=2)
parts: tamiz.Document = canonicalizer.canonicalize_parts(
    method="GET", target=b"/", headers=[("a", b"b")], body=b"", scheme="https", authority=b"ex.com"
)
text: str = str(document)
flags: List[str] = document.flags
ranges: List[Tuple[int, int]] = document.raised[0].evidence
flag: tamiz.Flag = document.raised[0].flag
parameter: Optional[str] = flag.parameter
fingerprint: str = tamiz.fingerprint({"profile": "core"})
parsed: tamiz.Document = tamiz.Document.parse(text)
