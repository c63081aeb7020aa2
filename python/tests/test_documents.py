"""Documents, flags, explanations."""

from __future__ import annotations

import json
import pickle

import pytest

import tamiz

LOGIN = (
    b"POST /login?next=%2f%2fevil.example HTTP/1.1\r\nHost: shop.example\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 28\r\n\r\nuser=admin'--&pwd=visionario"
)


@pytest.fixture(scope="module")
def canonicalizer() -> tamiz.Canonicalizer:
    return tamiz.Canonicalizer()


def test_a_document_is_its_text(canonicalizer: tamiz.Canonicalizer) -> None:
    document = canonicalizer.canonicalize(LOGIN)
    text = str(document)
    assert text.startswith("M:POST\n") and text == document.text
    assert tamiz.Document.parse(text) == document
    assert hash(tamiz.Document.parse(text)) == hash(document)
    assert document != text
    assert "visionario" not in text + repr(document) + json.dumps(document.to_dict())


def test_views_of_a_document(canonicalizer: tamiz.Canonicalizer) -> None:
    document = canonicalizer.canonicalize(LOGIN)
    assert document.method == "POST"
    assert document.path == "/login"
    assert document.query_keys == ["next"]
    assert dict(document.headers)["host"] == "shop.example"
    assert document.body_keys == ["user", "pwd"]
    assert dict(document.body_values)["pwd"] == ["<SECRET:alpha:10>"]
    assert document.version == "1.1"
    assert document.fingerprint == canonicalizer.fingerprint
    assert "QUOTE" in document.flags
    assert tamiz.Flag.QUOTE in document.flags
    assert document.to_dict()["http.request.method"] == "POST"
    assert json.loads(document.to_json()) == document.to_dict()
    assert document.tokens and all(isinstance(token, str) for token in document.tokens)


def test_flags_say_where_and_by_which_bytes(canonicalizer: tamiz.Canonicalizer) -> None:
    document = canonicalizer.canonicalize(LOGIN, evidence=True)
    quote = next(raised for raised in document.raised if raised.flag is tamiz.Flag.QUOTE)
    assert (quote.name, quote.parameter, quote.place) == ("QUOTE", None, "b.user")
    assert [LOGIN[start:end] for start, end in quote.evidence] == [b"'"]
    assert str(document) == str(canonicalizer.canonicalize(LOGIN))


def test_every_flag_has_its_meaning() -> None:
    for flag in tamiz.Flag:
        assert flag.meaning and flag.why and flag.family and flag.clause
        assert flag.weight in {"structural", "notable", "evasion"}
        assert flag.profile in {"core", "standard", "full"}
        assert str(flag) == flag.name == flag.value
    assert len({flag.id for flag in tamiz.Flag}) == len(tamiz.Flag)


def test_explanations_mask_secrets(canonicalizer: tamiz.Canonicalizer) -> None:
    document = canonicalizer.canonicalize(LOGIN, evidence=True)
    for shown in (document.explain(), document.explain_html(), document._repr_html_()):
        assert "QUOTE" in shown and "visionario" not in shown and "•" in shown
    assert "<pre>M:POST" in canonicalizer.canonicalize(LOGIN)._repr_html_()
    with pytest.raises(ValueError, match="evidence=True"):
        canonicalizer.canonicalize(LOGIN).explain()


def test_pickles(canonicalizer: tamiz.Canonicalizer) -> None:
    configured = tamiz.Canonicalizer({"flags": {"WSPAD": False}}, profile="full", view="literal")
    for one in (canonicalizer, configured):
        again = pickle.loads(pickle.dumps(one))
        assert again.fingerprint == one.fingerprint and again.config == one.config
        assert str(again.canonicalize(LOGIN)) == str(one.canonicalize(LOGIN))
    document = canonicalizer.canonicalize(LOGIN, evidence=True)
    assert pickle.loads(pickle.dumps(document)) == document


def test_configurations(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "tamiz.toml"
    path.write_text('profile = "full"\n')
    full = tamiz.fingerprint(profile="full")
    assert tamiz.fingerprint(path) == tamiz.fingerprint(str(path)) == full
    assert tamiz.Canonicalizer.from_toml('profile = "full"').fingerprint == full
    assert tamiz.Canonicalizer.from_toml('profile = "core"', profile="full").fingerprint == full
    assert tamiz.fingerprint({"profile": "full"}) == full != tamiz.fingerprint()
    assert tamiz.fingerprint({"profile": "core"}, profile="full") == full


@pytest.mark.parametrize(
    ("config", "options", "error", "says"),
    [
        ({"profile": "all"}, {}, ValueError, "core"),
        ({"colour": 1}, {}, ValueError, "colour"),
        (7, {}, TypeError, "config must be the path of a tamiz.toml or a mapping, not int"),
        (b"tamiz.toml", {}, TypeError, "not bytes"),
        ({"profile": 7}, {}, TypeError, r"config: profile must be text, not int"),
        ({"view": "shape", "flags": {"WSPAD": "no"}}, {}, TypeError, r"config: flags\.WSPAD must be a boolean, not str"),
        ({"limits": {"pairs": [1]}}, {}, TypeError, r"config: limits\.pairs must be a whole number, not list"),
        ({"limits": {"pairs": -1}}, {}, ValueError, r"config: limits\.pairs: "),
        ({"limits": 5}, {}, TypeError, r"config: limits must be .*, not int"),
        ({"profile": b"full"}, {}, TypeError, r"config: profile: no configuration holds bytes"),
        ({"flags": {"NOPE": True}}, {}, ValueError, r"config: flags\.NOPE: unknown flag `NOPE`"),
        ({"flags": {"KW:sqql": True}}, {}, ValueError, r"config: flags\.KW:sqql: unknown flag `KW:sqql`"),
        (None, {"profile": 7}, TypeError, "profile must be one of core, standard, full, not int"),
        (None, {"source": ["wire"]}, TypeError, "source must be one of .*, not list"),
        (None, {"profile": "all"}, ValueError, "core, standard, full"),
        (None, {"view": "x"}, ValueError, "shape, literal"),
        (None, {"scheme": "gopher"}, ValueError, "https"),
        (None, {"source": "apache"}, ValueError, "nginx"),
    ],
)
def test_mistakes_are_named(config, options, error, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=says):
        tamiz.Canonicalizer(config, **options)


def test_a_path_is_a_path_and_text_is_not(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    for missing in ("nofile.toml", tmp_path / "none.toml", "profile = 'full'"):
        with pytest.raises(FileNotFoundError, match="from_toml") as raised:
            tamiz.Canonicalizer(missing)
        assert raised.value.filename == str(missing) and raised.value.errno == 2
    with pytest.raises(ValueError, match="line 1"):
        tamiz.Canonicalizer.from_toml("profile = 'all'")
    (tmp_path / "bad.toml").write_bytes(b"profile = '\xff'")
    with pytest.raises(ValueError, match="bad.toml: not UTF-8"):
        tamiz.Canonicalizer("bad.toml")
    with pytest.raises(OSError):
        tamiz.Canonicalizer(tmp_path)


def test_flags_are_checked_with_their_parameters() -> None:
    for wrong in ("KW:sqql", "KW:sql", "NOPE", "KW:"):
        with pytest.raises(ValueError, match=wrong):
            tamiz.Flag(wrong)
    text = str(tamiz.Canonicalizer().canonicalize(b"GET /?a=1+union+select+2 HTTP/1.1\r\nHost: ex.com\r\n\r\n"))
    assert "KW:sql" in text and tamiz.Document.parse(text).flags
    with pytest.raises(ValueError, match=r"flag KW has one of .*sql.*, not \"sqql\""):
        tamiz.Document.parse(text.replace("KW:sql", "KW:sqql"))


def test_texts_that_are_no_documents() -> None:
    for text in ["", "M:GET", "GET / HTTP/1.1\r\n\r\n", "M:GET\nnonsense\n"]:
        with pytest.raises(ValueError):
            tamiz.Document.parse(text)


def test_parts(canonicalizer: tamiz.Canonicalizer) -> None:
    document = canonicalizer.canonicalize_parts(
        method="GET",
        target=b"/a//b?id=7",
        headers=[("Accept", b"*/*"), (b"X-A", "caf\udce9")],
        body=b"",
        scheme="https",
        authority="ex.com",
        version="HTTP/2",
    )
    assert document.url == "https://ex.com/a/b?id=<num:1>"
    assert "BADUTF8" in document.flags
    with pytest.raises(TypeError):
        canonicalizer.canonicalize_parts(method=1, target="/")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="surrogate"):
        canonicalizer.canonicalize_parts(method="GET", target="/\ud800")


def test_requests_as_a_source_sees_them() -> None:
    taken = b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX_Id: 7\r\n\r\n"
    refused = b"GET /../a HTTP/1.1\r\nHost: ex.com\r\n\r\n"
    nginx = tamiz.Canonicalizer(source="nginx")
    assert nginx.fingerprint != tamiz.Canonicalizer().fingerprint
    seen, none = nginx.canonicalize_as_seen([taken, refused])
    assert seen is not None and seen.source == "nginx" and "BADHDRNAME:x_id" not in seen.flags
    assert none is None
    assert (nginx.refusal(taken), nginx.refusal(refused)) == (None, "a path above its root")
    wire = tamiz.Canonicalizer()
    assert wire.canonicalize_as_seen([refused]) == wire.canonicalize_many([refused])
    assert wire.canonicalize(taken).source == "wire"
    assert tamiz.Document.parse(str(seen)).source is None
    with pytest.raises(TypeError, match="item 1"):
        nginx.canonicalize_as_seen([taken, 7])  # type: ignore[list-item]
