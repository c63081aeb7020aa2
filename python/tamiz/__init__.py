"""Tamiz turns an HTTP request into the one text that says what it is.

The same request gives the same text, another spelling gives the same text apart from the flags that record the
spelling, and no recognised secret is left in it. It never fails, whatever the bytes.

>>> import tamiz
>>> canonicalizer = tamiz.Canonicalizer()
>>> document = canonicalizer.canonicalize(b"GET /%61dmin?token=abc HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n")
>>> document.url
'http://ex.com/admin?token=<SECRET:alpha:3>'
>>> document.flags
['PCTUNRES']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from tamiz._flags import Flag
from tamiz._tamiz import FORM_VERSION, Canonicalizer, Document, Model, Raised, __version__
from tamiz._words import Config, Profile, Scheme, Source, View

if TYPE_CHECKING:
    from tamiz.detector import Detector as Detector

__all__ = [
    "FORM_VERSION",
    "Canonicalizer",
    "Config",
    "Document",
    "FingerprintMismatch",
    "Flag",
    "Model",
    "Profile",
    "Raised",
    "Scheme",
    "Source",
    "View",
    "__version__",
    "fingerprint",
]


def fingerprint(
    config: Optional[Config] = None,
    *,
    profile: Optional[Profile] = None,
    view: Optional[View] = None,
    scheme: Optional[Scheme] = None,
) -> str:
    """The identity of rules, tables and configuration: documents of one fingerprint can be compared.

    >>> tamiz.fingerprint() == tamiz.Canonicalizer().fingerprint
    True
    >>> tamiz.fingerprint(profile="full") == tamiz.fingerprint()
    False
    """
    return Canonicalizer(config, profile=profile, view=view, scheme=scheme).fingerprint


class FingerprintMismatch(ValueError):
    """A model that was trained on documents of one fingerprint is given those of another."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(expected, found)
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return (
            f"trained under fingerprint {self.expected}, loaded under {self.found}: the documents would not be "
            "those it was trained on. Use the tamiz and the configuration it was trained with, or train anew."
        )


def __getattr__(name: str) -> Any:
    # The detector takes numpy, which the package does not need otherwise.
    if name == "Detector":
        from tamiz.detector import Detector

        return Detector
    raise AttributeError(f"module 'tamiz' has no attribute {name!r}")
