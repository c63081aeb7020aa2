"""The examples of docstrings, run."""

from __future__ import annotations

import doctest
import importlib
import inspect
from typing import Any, Dict, Iterator, Tuple

import pytest

import tamiz

MODULES = ["tamiz", "tamiz.detector", "tamiz.pandas", "tamiz.polars", "tamiz.sklearn", "tamiz.spark"]


def documented(module: Any) -> Iterator[Tuple[str, str]]:
    """The docstrings of a module, of what it makes public, and of the members of its classes."""
    name = module.__name__
    yield name, module.__doc__ or ""
    for public in module.__all__:
        thing = getattr(module, public)
        yield f"{name}.{public}", inspect.getdoc(thing) or ""
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{public}.{member}", inspect.getdoc(getattr(thing, member)) or ""


def examples() -> Dict[str, doctest.DocTest]:
    found = {}
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for place, text in documented(module):
            test = doctest.DocTestParser().get_doctest(text, {**vars(module), "tamiz": tamiz}, place, None, 0)
            if test.examples:
                found[place] = test
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("place", EXAMPLES)
def test_example(place: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    told: list[str] = []
    runner.run(EXAMPLES[place], out=told.append)
    assert runner.failures == 0, "".join(told)


def test_what_is_called_most_has_examples() -> None:
    for name in ["canonicalize", "canonicalize_many", "canonicalize_parts", "canonicalize_arrow"]:
        assert f"tamiz.Canonicalizer.{name}" in EXAMPLES
    for name in ["tamiz.Document.parse", "tamiz.fingerprint", "tamiz.sklearn.TamizVectorizer"]:
        assert name in EXAMPLES
