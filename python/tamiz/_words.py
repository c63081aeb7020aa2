"""The words that options take, as types: a type checker finds the one that is misspelt."""

from __future__ import annotations

import os
from typing import Any, Literal, Mapping, Union

Profile = Literal["core", "standard", "full"]
View = Literal["shape", "literal"]
Scheme = Literal["http", "https", "ws", "wss"]
Source = Literal[
    "wire",
    "haproxy-spoe",
    "envoy-ext-proc",
    "envoy-ext-authz",
    "nginx",
    "caddy",
    "access-log",
    "json-lines",
    "har",
    "modsecurity",
]

#: The path of a ``tamiz.toml``, or a mapping with the same keys.
Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]
