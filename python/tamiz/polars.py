"""Requests to documents in polars.

>>> import polars as pl
>>> from tamiz.polars import canonicalize
>>> df = pl.DataFrame({"raw": [b"GET /a//b HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"], "label": ["valid"]})
>>> canonicalize(df, "raw", label="label").select("url.path", "label").rows()
[('/a/b', 'valid')]
"""

from __future__ import annotations

from typing import Any, Optional

import polars as pl

from tamiz import Canonicalizer

__all__ = ["canonicalize"]


def canonicalize(
    df: pl.DataFrame,
    column: str,
    *,
    id: Optional[str] = None,
    label: Optional[str] = None,
    source: Optional[str] = None,
    canonicalizer: Optional[Canonicalizer] = None,
) -> pl.DataFrame:
    """The documents of a column of requests: the columns of ``tamiz batch``'s Parquet. Ids keep their type."""
    made = canonicalizer if canonicalizer is not None else Canonicalizer()
    ids, labels = None if id is None else df[id], None if label is None else df[label].cast(pl.String)
    batch: Any = made.canonicalize_arrow(df[column], ids=ids, labels=labels, source=source)
    frame = pl.from_arrow(batch)
    assert isinstance(frame, pl.DataFrame)
    return frame
