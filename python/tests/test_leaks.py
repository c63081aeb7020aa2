"""Secrets planted in requests are in nothing that the package gives."""

from __future__ import annotations

import base64
import json
import logging
import pickle
from typing import Any, Iterator, List
from urllib.parse import quote

import pytest

pa = pytest.importorskip("pyarrow")

import tamiz

CANARY = "Zq7RkW2xVb9TnLp4"
"""No word of it is in any other text."""

PLACES = [
    b"GET http://user:%s@ex.com/ HTTP/1.1\r\n\r\n",
    b"GET /?password=%s HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    b"GET /reset;token=%s HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    b"GET /?next=https%%3A%%2F%%2Fex.com%%2F%%3Fapi_key%%3D%s HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer %s\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Odd %s\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: session=%s\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Api-Key: %s\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: ex.com\r\nReferer: https://ex.com/?access_token=%s\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\npassword=%s",
    b'POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{"a":[{"client_secret":"%s"}]}',
    b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<a><password>%s</password></a>",
]
REQUESTS = [place % CANARY.encode() for place in PLACES]
FORBIDDEN = [
    CANARY,
    CANARY.lower(),
    quote(CANARY),
    base64.b64encode(CANARY.encode()).decode().rstrip("="),
    CANARY.encode().hex(),
]


def texts(value: Any) -> Iterator[str]:
    """Every text that is anywhere in a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(key)
            yield from texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts(inner)
    else:
        yield str(value)


def told_of(request: bytes, canonicalizer: tamiz.Canonicalizer) -> List[str]:
    """All that the package says of a request."""
    told: List[str] = []
    for evidence in (False, True):
        document = canonicalizer.canonicalize(request, evidence=evidence)
        told += [str(document), repr(document), document._repr_html_()]
        told += [document.explain(), document.explain_html()] if evidence else []
        told += [*document.tokens, *document.flags, document.to_json(), json.dumps(document.to_dict())]
        told += [repr(raised) for raised in document.raised]
        told.append(pickle.dumps(document).decode("latin-1"))
    return told


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
@pytest.mark.parametrize("view", ["shape", "literal"])
def test_no_secret_in_anything(profile: str, view: str, caplog: pytest.LogCaptureFixture) -> None:
    canonicalizer = tamiz.Canonicalizer(profile=profile, view=view)
    with caplog.at_level(logging.DEBUG):
        told = [text for request in REQUESTS for text in told_of(request, canonicalizer)]
        batch = canonicalizer.canonicalize_arrow(pa.array(REQUESTS, pa.binary()))
        told += texts(batch.to_pylist())
    told.append(caplog.text)
    assert len(told) > len(REQUESTS) * 10
    for text in told:
        assert not any(spelling in text for spelling in FORBIDDEN), text


def test_no_secret_in_errors() -> None:
    for wrong in (CANARY, [CANARY], {CANARY: 1}, CANARY.encode().decode("utf-16-le", "replace")):
        with pytest.raises((TypeError, ValueError)) as error:
            tamiz.Canonicalizer().canonicalize(wrong)  # type: ignore[arg-type]
        assert CANARY not in str(error.value)
    with pytest.raises(ValueError) as error:
        tamiz.Document.parse(f"M:GET\nP:/{CANARY} \n")
    assert CANARY not in str(error.value)
