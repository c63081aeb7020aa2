"""The same request in other spellings: what an attacker does to slip past a model that saw the first.

Every function keeps what a server makes of the request, or what the layer behind it makes of it, and changes
only how it is written. `localhost:80` for `localhost:8080` is no such spelling: it is another host.
"""

from __future__ import annotations

import random
import re
from typing import Callable, Dict, List, Tuple

Rewrite = Callable[[bytes, random.Random], bytes]


def _head_and_body(request: bytes) -> Tuple[List[bytes], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    return head.split(b"\r\n"), body


def _joined(lines: List[bytes], body: bytes) -> bytes:
    """Puts a request together, its length made right."""
    length = b"Content-Length: %d" % len(body)
    lines = [length if line.lower().startswith(b"content-length:") else line for line in lines]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def _target(lines: List[bytes]) -> Tuple[bytes, bytes, bytes]:
    method, _, rest = lines[0].partition(b" ")
    target, _, version = rest.rpartition(b" ")
    return method, target, version


def _with_parameters(request: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Changes the values of the query and of a form."""

    def values(text: bytes) -> bytes:
        pairs = []
        for pair in text.split(b"&"):
            key, equals, value = pair.partition(b"=")
            pairs.append(key + equals + change(value))
        return b"&".join(pairs)

    lines, body = _head_and_body(request)
    method, target, version = _target(lines)
    path, mark, query = target.partition(b"?")
    lines[0] = b" ".join([method, path + mark + (values(query) if mark else b""), version])
    return _joined(lines, values(body) if body else body)


def hex_case(request: bytes, rng: random.Random) -> bytes:
    """`%2F` as `%2f`."""
    return _with_parameters(
        request, lambda value: re.sub(rb"%[0-9A-Fa-f]{2}", lambda found: found[0].lower(), value)
    )


def extra_slashes(request: bytes, rng: random.Random) -> bytes:
    """`/a/b` as `//a/./b`."""
    lines, body = _head_and_body(request)
    method, target, version = _target(lines)
    scheme, separator, rest = target.partition(b"://")
    host, slash, tail = (rest if separator else target).partition(b"/")
    path, mark, query = tail.partition(b"?")
    path = path.replace(b"/", b"/./", 1) if b"/" in path else b"./" + path
    target = (scheme + separator if separator else b"") + host + slash + b"/" + path + mark + query
    lines[0] = b" ".join([method, target, version])
    return _joined(lines, body)


def header_order_and_case(request: bytes, rng: random.Random) -> bytes:
    """Headers in another order, their names in another case."""
    lines, body = _head_and_body(request)
    headers = lines[1:]
    rng.shuffle(headers)
    cased = [name.upper() + colon + value for name, colon, value in (line.partition(b":") for line in headers)]
    return _joined([lines[0], *cased], body)


def encoded_letters(request: bytes, rng: random.Random) -> bytes:
    """Every third letter of a value percent-encoded."""

    def change(value: bytes) -> bytes:
        out = bytearray()
        in_escape = 0
        for at, byte in enumerate(value):
            if byte == 0x25:
                in_escape = 3
            letter = chr(byte).isalpha() and byte < 128
            out += b"%%%02x" % byte if letter and not in_escape and at % 3 == 0 else bytes([byte])
            in_escape = max(0, in_escape - 1)
        return bytes(out)

    return _with_parameters(request, change)


def double_encoding(request: bytes, rng: random.Random) -> bytes:
    """`%27` as `%2527`: for a layer behind that decodes once more."""
    return _with_parameters(request, lambda value: value.replace(b"%", b"%25"))


def entities(request: bytes, rng: random.Random) -> bytes:
    """`%3C` as `%26lt%3B`: for a page or a parser that reads entities."""
    names = {b"%3c": b"%26lt%3B", b"%3e": b"%26gt%3B", b"%22": b"%26quot%3B", b"%27": b"%26%2339%3B"}
    pattern = re.compile(rb"%(?:3c|3e|22|27)", re.IGNORECASE)
    return _with_parameters(request, lambda value: pattern.sub(lambda found: names[found[0].lower()], value))


REWRITES: Dict[str, Rewrite] = {
    "hex case": hex_case,
    "extra slashes": extra_slashes,
    "header order and case": header_order_and_case,
    "encoded letters": encoded_letters,
    "double encoding": double_encoding,
    "entities": entities,
}
