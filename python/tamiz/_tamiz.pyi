from typing import Any, Iterable, List, Literal, Optional, Sequence, Tuple, Union

import pyarrow

from tamiz._flags import Flag
from tamiz._words import Config, Profile, Scheme, Source, View

__version__: str
FORM_VERSION: int

_Bytes = Union[bytes, bytearray, memoryview]
_TextOrBytes = Union[str, bytes, bytearray, memoryview]

class Canonicalizer:
    """Turns requests into documents.

    Cheap to share between threads: build one per configuration. Pickles as its configuration.

    Parameters
    ----------
    config
        The path of a ``tamiz.toml``, or a mapping with the same keys; its text is for ``from_toml``.
    profile, view, scheme, source
        Say so whatever the configuration says.

    >>> import tamiz
    >>> tamiz.Canonicalizer({"flags": {"WSPAD": False}}, profile="full").config["profile"]
    'full'
    """

    def __init__(
        self,
        config: Optional[Config] = None,
        *,
        profile: Optional[Profile] = None,
        view: Optional[View] = None,
        scheme: Optional[Scheme] = None,
        source: Optional[Source] = None,
    ) -> None: ...
    @staticmethod
    def from_toml(
        text: str,
        *,
        profile: Optional[Profile] = None,
        view: Optional[View] = None,
        scheme: Optional[Scheme] = None,
        source: Optional[Source] = None,
    ) -> Canonicalizer:
        """A canonicalizer from the text of a ``tamiz.toml``; the words say so whatever the text says."""

    @property
    def fingerprint(self) -> str:
        """The identity of rules, tables and configuration."""

    @property
    def config(self) -> dict[str, Any]:
        """The whole configuration, by the keys of ``tamiz.toml``."""

    def canonicalize(self, request: _Bytes, *, evidence: bool = False) -> Document:
        """The document of the wire bytes of one HTTP/1.x request. Any bytes give one.

        With ``evidence`` its flags tell which bytes raised them, and it can be explained.
        """

    def canonicalize_many(self, requests: Iterable[_Bytes], *, threads: int = 1) -> List[Document]:
        """The documents of requests, in their order."""

    def canonicalize_as_seen(self, requests: Iterable[_Bytes]) -> List[Optional[Document]]:
        """The documents of requests as the source of the configuration sees them, in their order.

        ``None`` stands for a request that it would refuse: ``refusal`` tells why. Sources of which no changes are
        known, as ``wire``, see what was sent.
        """

    def refusal(self, request: _Bytes) -> Optional[str]:
        """Why the source of the configuration would refuse a request; ``None`` if it would not."""

    def canonicalize_parts(
        self,
        *,
        method: _TextOrBytes,
        target: _TextOrBytes,
        headers: Sequence[Tuple[_TextOrBytes, _TextOrBytes]] = ...,
        body: Optional[_Bytes] = None,
        scheme: Optional[_TextOrBytes] = None,
        authority: Optional[_TextOrBytes] = None,
        version: Optional[_TextOrBytes] = None,
    ) -> Document:
        """The document of a request that someone else has cut already."""

    def canonicalize_arrow(
        self,
        requests: Any,
        *,
        ids: Any = None,
        labels: Any = None,
        source: Optional[str] = None,
        nulls: Literal["raise", "drop"] = "raise",
    ) -> "pyarrow.RecordBatch":
        """The documents of a column of requests, as a batch: the columns of ``tamiz batch``'s Parquet.

        Takes an array or chunked array of bytes or text of any library that speaks Arrow (pyarrow, polars, …),
        without copying it; ``labels`` is a column of text of the same length, ``ids`` one of any type, which it keeps.
        A null request raises ``ValueError`` or, with ``nulls="drop"``, has no row. ``source`` is that of the configuration unless it is
        given.
        """

    def canonicalize_requests(self, requests: Any) -> "pyarrow.RecordBatch":
        """The documents of a batch of requests that ``tamiz batch --format requests`` wrote, by their bytes or by
        their parts: all columns of ``tamiz batch``, with where each request is from.
        """

    @staticmethod
    def request_schema() -> "pyarrow.Schema":
        """The columns that ``canonicalize_requests`` takes."""

class Document:
    """What a request is.

    ``str(document)`` is its text. Documents are equal when their texts are, and pickle as their text: what only
    a fresh document knows (evidence, fingerprint, source, HTTP version) does not travel.
    """

    @classmethod
    def parse(cls, text: str) -> Document:
        """Reads the text of a document, strictly. Raises ``ValueError`` that names the place."""

    def __str__(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def source(self) -> Optional[str]:
        """Who handed over the request, as ``wire`` or ``nginx``; ``None`` of a document that was read back from its
        text.
        """

    @property
    def text(self) -> str:
        """The text, also ``str(document)``."""

    @property
    def method(self) -> str: ...
    @property
    def url(self) -> Optional[str]: ...
    @property
    def path(self) -> Optional[str]: ...
    @property
    def query_keys(self) -> Optional[List[str]]: ...
    @property
    def headers(self) -> List[Tuple[str, str]]: ...
    @property
    def body_keys(self) -> Optional[List[str]]: ...
    @property
    def body_values(self) -> List[Tuple[str, List[str]]]:
        """The markers of a body's values, by key."""

    @property
    def version(self) -> Optional[str]:
        """The HTTP version; ``None`` for a document that was parsed."""

    @property
    def fingerprint(self) -> Optional[str]:
        """What it was made under; ``None`` for a document that was parsed."""

    @property
    def flags(self) -> List[str]:
        """Every flag with its parameter, as the ``FLAGS`` line lists them: ``KW:sql``."""

    @property
    def raised(self) -> List[Raised]:
        """Every flag where it was raised."""

    @property
    def tokens(self) -> List[str]:
        """Strings for models that count words."""

    def tokens_with(self, *, lengths: bool = False) -> List[str]:
        """Strings for models that count words, on request with the exact length of each value."""

    def to_json(self) -> str:
        """The JSON object of the document, by OpenTelemetry's names."""

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""

    def explain(self, *, columns: int = 100, name: str = "request") -> str:
        """The request, its evidence beneath it, and what its flags mean. Needs ``evidence=True``."""

    def explain_html(self) -> str:
        """The same for a page; what a notebook shows."""

    def _repr_html_(self) -> str: ...

class Raised:
    """A flag that a document raises."""

    @property
    def flag(self) -> Flag: ...
    @property
    def name(self) -> str: ...
    @property
    def parameter(self) -> Optional[str]: ...
    @property
    def place(self) -> str:
        """``m``, ``u``, ``p``, ``q.KEY``, ``h.NAME``, ``b.KEY``."""

    @property
    def evidence(self) -> List[Tuple[int, int]]:
        """Ranges of the request's bytes; empty without ``evidence=True``."""

class Model:
    """Counts of the tokens of requests, by endpoint and over all: the model of ``tamiz learn``.

    >>> canonicalizer = tamiz.Canonicalizer()
    >>> model = tamiz.Model(canonicalizer)
    >>> model.learn(canonicalizer.canonicalize_many([b"GET / HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"] * 3))
    >>> model.requests
    3
    """

    def __init__(self, canonicalizer: Canonicalizer) -> None:
        """A model without requests, for documents of the canonicalizer's configuration."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Model:
        """Reads a model that ``tamiz learn`` or ``to_bytes`` wrote."""

    def to_bytes(self) -> bytes:
        """The file of the model: the same bytes for the same requests, in whatever order they were learned."""

    @property
    def requests(self) -> int:
        """How many requests were learned."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the documents that can be learned and scored, as those of requests by their bytes have it."""

    def learn(self, documents: List[Document]) -> None:
        """Counts documents. All of them are counted, or none."""

    def merge(self, other: Model) -> None:
        """Adds the counts of another model."""

    def score(self, documents: List[Document]) -> Tuple[List[float], List[float], List[int]]:
        """Scores documents: a list of scores, one of p-values, and one of the numbers of tokens that are new."""

    def explain(self, documents: List[Document]) -> List[str]:
        """Scores documents: a JSON object for each, with its reasons, as ``tamiz score --format jsonl`` has it."""

    def threshold(self, share: float) -> float:
        """The score above which a p-value is at most ``share``."""
