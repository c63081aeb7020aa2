"""What a type checker finds before a program runs: words that are misspelt, and values of the wrong type."""

from __future__ import annotations

import os
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import tamiz

ROOT = Path(__file__).parents[2]

#: Each is wrong, and what mypy has to say of it.
WRONG = [
    ('tamiz.Canonicalizer(profile="ful")', 'incompatible type "Literal[\'ful\']"'),
    ('tamiz.Canonicalizer(view="literally")', 'incompatible type "Literal[\'literally\']"'),
    ('tamiz.Canonicalizer(scheme="gopher")', 'incompatible type "Literal[\'gopher\']"'),
    ('tamiz.Canonicalizer(source="apache")', 'incompatible type "Literal[\'apache\']"'),
    ('tamiz.Canonicalizer.from_toml("", profile="ful")', 'incompatible type "Literal[\'ful\']"'),
    ('tamiz.fingerprint(profile="ful")', 'incompatible type "Literal[\'ful\']"'),
    ('tamiz.Detector(view="shapes")', 'incompatible type "Literal[\'shapes\']"'),
    ('TamizVectorizer(weighting="tf-idf")', 'incompatible type "Literal[\'tf-idf\']"'),
    ("tamiz.Canonicalizer(7)", 'incompatible type "int"'),
]


def test_misspelt_words_fail_in_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    lines = ["import tamiz", "from tamiz.sklearn import TamizVectorizer", *(line for line, _ in WRONG)]
    lines += ['tamiz.Canonicalizer("tamiz.toml", profile="full", view="shape", scheme="wss", source="har")']
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines) + "\n")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "mypy", *options, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(found) == len(WRONG), done.stdout + done.stderr
    for number, (line, says) in enumerate(WRONG, start=3):
        assert any(f"program.py:{number}: error" in error and says in error for error in found), (line, found)


@pytest.mark.parametrize("name", ["profile", "view", "scheme", "source"])
def test_the_words_are_those_of_the_library(name: str) -> None:
    words = typing.get_args(getattr(tamiz, name.capitalize()))
    with pytest.raises(ValueError) as raised:
        tamiz.Canonicalizer(**{name: "none of them"})  # type: ignore[arg-type]
    assert str(raised.value) == f"{name} must be one of {', '.join(words)}, not \"none of them\""
