"""Requests to documents in pandas.

>>> import pandas as pd
>>> from tamiz.pandas import canonicalize
>>> requests = pd.Series([b"GET /a//b HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"], index=[7])
>>> canonicalize(requests)["url.path"].to_dict()
{7: '/a/b'}
"""

from __future__ import annotations

from typing import Optional

import pandas as pd
import pyarrow as pa

from tamiz import Canonicalizer

__all__ = ["canonicalize"]


def canonicalize(
    requests: "pd.Series[bytes]",
    *,
    labels: Optional["pd.Series[str]"] = None,
    source: Optional[str] = None,
    canonicalizer: Optional[Canonicalizer] = None,
) -> pd.DataFrame:
    """The documents of a series of requests, under the same index."""
    if requests.dtype.kind not in "OSU":
        raise TypeError(f"requests must be a series of bytes, not {requests.dtype}")
    made = canonicalizer if canonicalizer is not None else Canonicalizer()
    batch = made.canonicalize_arrow(
        pa.array(requests, pa.large_binary()),
        labels=None if labels is None else pa.array(labels, pa.string()),
        source=source,
    )
    frame: pd.DataFrame = batch.to_pandas()
    frame.index = requests.index
    return frame
