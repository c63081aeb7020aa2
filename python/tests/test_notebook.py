"""The notebook of `examples/`, cell by cell, as its users run it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import urlsplit

import pytest

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(source: str, names: Dict[str, Any]) -> Any:
    """Runs a cell; what its last expression gives is what a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "the notebook", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "the notebook", "eval"), names)


def test_from_a_har_to_a_plot_of_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from matplotlib import pyplot

    matplotlib.use("agg")
    monkeypatch.chdir(EXAMPLES)
    notebook = json.loads((EXAMPLES / "har_to_flags.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: Dict[str, Any] = {}
    # A plot is not shown to anybody here.
    monkeypatch.setattr(pyplot, "show", lambda: None)
    shown = [run(cell, names) for cell in cells]
    assert shown[0] == len(names["documents"]) == 12
    printed = capsys.readouterr().out
    assert printed.startswith("M:POST\nU:http://shop.example/login\n") and "<SECRET:" in printed
    assert shown[-1] == ["/admin/users", "/search"]
    assert names["counts"]["KW:sql"] == 1 and names["counts"]["QUOTE"] == 2
    bars = {bar.get_y() for bar in names["axes"].patches}
    assert len(bars) == len(names["counts"]) > 10
    names["figure"].savefig(tmp_path / "flags.png")
    assert (tmp_path / "flags.png").stat().st_size > 10_000
    pyplot.close("all")
    if "TAMIZ_COMMAND" in os.environ:
        command = [os.environ["TAMIZ_COMMAND"], "batch", "shop.har", "--format", "jsonl", "-o", "-"]
        lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
        assert [json.loads(line)["tamiz.text"] for line in lines] == [str(one) for one in names["documents"]]
    everything = "".join([printed, *map(str, names["documents"]), names["flags"].to_csv()])
    assert "correct-horse" not in everything and "example-token" not in everything


def test_what_chrome_exports_gives_the_same_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    har = json.loads((EXAMPLES / "shop.har").read_text("utf-8"))
    for entry in har["log"]["entries"]:
        request = entry["request"]
        path = urlsplit(request["url"])
        pseudo = {":method": request["method"], ":authority": path.netloc, ":scheme": path.scheme, ":path": path.path}
        request["headers"][:0] = [{"name": name, "value": value} for name, value in pseudo.items()]
        request["url"] += "#top"
        request["httpVersion"] = "http/2.0"
    (tmp_path / "shop.har").write_text(json.dumps(har), "utf-8")
    notebook = json.loads((EXAMPLES / "har_to_flags.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]

    def documents(folder: Path) -> List[str]:
        monkeypatch.chdir(folder)
        names: Dict[str, Any] = {}
        for cell in cells[:2]:
            run(cell, names)
        return [str(one) for one in names["documents"]]

    assert documents(tmp_path) == documents(EXAMPLES)


def test_the_notebook_is_committed_without_output() -> None:
    notebook = json.loads((EXAMPLES / "har_to_flags.ipynb").read_text("utf-8"))
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None
