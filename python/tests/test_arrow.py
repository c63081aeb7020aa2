"""Columns in, batches out."""

from __future__ import annotations

import pytest

pa = pytest.importorskip("pyarrow")

import tamiz

CANONICALIZER = tamiz.Canonicalizer()
REQUESTS = [b"GET /%d?q=%%27 HTTP/1.1\r\nHost: ex.com:8080\r\n\r\n" % n for n in range(100)] + [b"", b"\xff\x00"]
TEXTS = [str(document) for document in CANONICALIZER.canonicalize_many(REQUESTS)]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_every_kind_of_bytes(kind) -> None:  # type: ignore[no-untyped-def]
    batch = CANONICALIZER.canonicalize_arrow(pa.array(REQUESTS, kind))
    assert batch.column("tamiz.text").to_pylist() == TEXTS
    assert set(batch.column("tamiz.fingerprint").to_pylist()) == {CANONICALIZER.fingerprint}
    assert batch.column("tamiz.flags").to_pylist()[0] == CANONICALIZER.canonicalize(REQUESTS[0]).flags
    row = batch.slice(7, 1).to_pylist()[0]
    assert (row["http.request.method"], row["url.path"], row["server.port"]) == ("GET", "/7", 8080)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_kind_of_text(kind) -> None:  # type: ignore[no-untyped-def]
    texts = [request.decode() for request in REQUESTS[:100]]
    batch = CANONICALIZER.canonicalize_arrow(pa.array(texts, kind))
    assert batch.column("tamiz.text").to_pylist() == TEXTS[:100]


def test_slices_chunks_and_carried_columns() -> None:
    array = pa.array(REQUESTS, pa.binary())
    assert CANONICALIZER.canonicalize_arrow(array[10:20]).column("tamiz.text").to_pylist() == TEXTS[10:20]
    chunked = pa.chunked_array([array[:30], array[30:]])
    ids = pa.array([str(n) for n in range(len(REQUESTS))])
    labels = pa.array(["valid", None] * (len(REQUESTS) // 2))
    batch = CANONICALIZER.canonicalize_arrow(chunked, ids=ids, labels=labels, source="test")
    assert batch.column("tamiz.text").to_pylist() == TEXTS
    assert batch.column("id").to_pylist() == ids.to_pylist()
    assert batch.column("label").to_pylist() == labels.to_pylist()
    assert set(batch.column("tamiz.source").to_pylist()) == {"test"}
    assert CANONICALIZER.canonicalize_arrow(pa.array([], pa.binary())).num_rows == 0


@pytest.mark.parametrize(
    "ids",
    [
        pa.array(range(100, 100 + len(REQUESTS)), pa.int64()),
        pa.array([n / 4 for n in range(len(REQUESTS))]),
        pa.array([None, 7] * (len(REQUESTS) // 2), pa.uint16()),
        pa.array(["a", "b"] * (len(REQUESTS) // 2)).dictionary_encode(),
        pa.array([b"a"] * len(REQUESTS), pa.binary(1)),
    ],
)
def test_ids_keep_their_type(ids) -> None:  # type: ignore[no-untyped-def]
    array = pa.array(REQUESTS, pa.binary())
    batch = CANONICALIZER.canonicalize_arrow(array, ids=ids)
    assert batch.schema.field("id").type == ids.type and batch.column("id").to_pylist() == ids.to_pylist()
    assert batch.column("tamiz.text").to_pylist() == TEXTS
    chunked = pa.chunked_array([ids[:7], ids[7:]])
    some = pa.array([None, *REQUESTS[1:]], pa.binary())
    batch = CANONICALIZER.canonicalize_arrow(some, ids=chunked, nulls="drop")
    assert batch.schema.field("id").type == ids.type and batch.column("id").to_pylist() == ids.to_pylist()[1:]
    empty = CANONICALIZER.canonicalize_arrow(array[:0], ids=pa.chunked_array([], ids.type))
    assert empty.num_rows == 0 and empty.schema.field("id").type == ids.type


def test_nulls() -> None:
    array = pa.array([REQUESTS[0], None, REQUESTS[1]], pa.binary())
    with pytest.raises(ValueError, match="row 1 of requests is null"):
        CANONICALIZER.canonicalize_arrow(array)
    batch = CANONICALIZER.canonicalize_arrow(array, nulls="drop", ids=pa.array(["a", "b", "c"]))
    assert batch.column("tamiz.text").to_pylist() == TEXTS[:2]
    assert batch.column("id").to_pylist() == ["a", "c"]
    assert CANONICALIZER.canonicalize_arrow(pa.nulls(3), nulls="drop").num_rows == 0


def test_mistakes_are_named() -> None:
    array = pa.array(REQUESTS, pa.binary())
    with pytest.raises(TypeError, match="bytes or text"):
        CANONICALIZER.canonicalize_arrow(pa.array([1, 2]))
    with pytest.raises(TypeError, match="Arrow array"):
        CANONICALIZER.canonicalize_arrow(REQUESTS)
    with pytest.raises(ValueError, match="ids has 1 rows"):
        CANONICALIZER.canonicalize_arrow(array, ids=pa.array(["a"]))
    with pytest.raises(ValueError, match="nulls must be"):
        CANONICALIZER.canonicalize_arrow(array, nulls="keep")  # type: ignore[arg-type]


def test_pandas_takes_no_numbers_for_requests() -> None:
    pd = pytest.importorskip("pandas")
    import tamiz.pandas

    with pytest.raises(TypeError, match="requests must be a series of bytes, not int64"):
        tamiz.pandas.canonicalize(pd.Series([1, 2]))
    texts = tamiz.pandas.canonicalize(pd.Series(["GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n"]))
    assert texts["url.path"].tolist() == ["/"]


def test_polars_and_pandas() -> None:
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    import tamiz.pandas
    import tamiz.polars

    frame = pl.DataFrame({"raw": REQUESTS, "n": range(len(REQUESTS))})
    documents = tamiz.polars.canonicalize(frame, "raw", id="n")
    assert documents["tamiz.text"].to_list() == TEXTS
    assert documents["id"].to_list()[:2] == [0, 1] and documents["id"].dtype == frame["n"].dtype
    series = pd.Series(REQUESTS, index=range(5, 5 + len(REQUESTS)))
    documents = tamiz.pandas.canonicalize(series)
    assert documents["tamiz.text"].tolist() == TEXTS
    assert documents.index.equals(series.index)
