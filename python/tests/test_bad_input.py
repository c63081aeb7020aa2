"""Wrong types, any bytes, threads, forks, an interpreter that stops: clear exceptions, no crash."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamiz
from conftest import PATIENCE

CANONICALIZER = tamiz.Canonicalizer()
REQUEST = b"GET /a?b=c HTTP/1.1\r\nHost: ex.com\r\n\r\n"


@given(st.binary(max_size=2000))
@settings(max_examples=300)
def test_any_bytes_give_a_document(request_bytes: bytes) -> None:
    document = CANONICALIZER.canonicalize(request_bytes)
    assert tamiz.Document.parse(str(document)) == document
    assert CANONICALIZER.canonicalize_many([bytearray(request_bytes), memoryview(request_bytes)]) == [
        document,
        document,
    ]


@pytest.mark.parametrize("wrong", ["GET / HTTP/1.1", None, 7, [REQUEST], object()])
def test_a_request_is_bytes(wrong: object) -> None:
    with pytest.raises(TypeError, match="bytes"):
        CANONICALIZER.canonicalize(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="item 1"):
        CANONICALIZER.canonicalize_many([REQUEST, wrong])  # type: ignore[list-item]


def test_batches_of_any_size() -> None:
    assert CANONICALIZER.canonicalize_many([]) == []
    assert CANONICALIZER.canonicalize_many(iter([REQUEST])) == [CANONICALIZER.canonicalize(REQUEST)]
    requests = [b"GET /%d HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(50_000)]
    alone = CANONICALIZER.canonicalize_many(requests)
    assert alone == CANONICALIZER.canonicalize_many(requests, threads=3)
    assert alone[49_999].path == "/49999"
    with pytest.raises(ValueError, match="threads"):
        CANONICALIZER.canonicalize_many(requests, threads=0)


def test_an_iterator_that_fails_fails_the_batch() -> None:
    def broken():  # type: ignore[no-untyped-def]
        yield REQUEST
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        CANONICALIZER.canonicalize_many(broken())


def test_the_interpreter_goes_on_while_requests_are_read() -> None:
    """Releases the GIL: another thread runs between the beginning and the end of one long call.

    The interpreter takes the GIL from nobody here, so that the other thread runs during a call only if the call releases
    it. On a busy machine that may need several calls.
    """
    long = b"GET /?" + b"&".join(b"k%d=v%%27" % n for n in range(20_000)) + b" HTTP/1.1\r\n\r\n"
    ticks = 0
    is_done = False

    def tick() -> None:
        nonlocal ticks
        while not is_done:
            ticks += 1
            time.sleep(0)

    def runs_during_a_call() -> bool:
        before = ticks
        CANONICALIZER.canonicalize(long)
        return ticks > before

    interval = sys.getswitchinterval()
    ticker = threading.Thread(target=tick)
    try:
        sys.setswitchinterval(1_000_000)
        ticker.start()
        assert any(runs_during_a_call() for _ in range(2_000))
    finally:
        sys.setswitchinterval(interval)
        is_done = True
        ticker.join()


def test_threads_share_a_canonicalizer() -> None:
    requests = [b"GET /%d?a=%%27 HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(2_000)]
    expected = CANONICALIZER.canonicalize_many(requests)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(CANONICALIZER.canonicalize, requests)) == expected


def _text_of(request_bytes: bytes) -> str:
    return str(CANONICALIZER.canonicalize(request_bytes))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str) -> None:
    expected = _text_of(REQUEST)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_text_of, [REQUEST] * 50) == [expected] * 50


def test_an_interpreter_that_stops_in_the_middle_of_a_batch() -> None:
    program = """
import os, threading, tamiz
c = tamiz.Canonicalizer()
requests = [b"GET /?" + b"&".join(b"k%d=%%27" % n for n in range(500)) + b" HTTP/1.1\\r\\n\\r\\n"] * 5_000
started = threading.Event()
def work():
    started.set()
    c.canonicalize_many(requests, threads=2)
threading.Thread(target=work, daemon=True).start()
started.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0 and done.stderr == b"", done
