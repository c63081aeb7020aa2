"""Whether other spellings hide attacks from `tamiz score`, and whether they raise honest requests too.

    python examples/detector/spellings.py PATH [--tamiz tamiz] [--learned 36000] [--rewritten 5000]

PATH is the folder of `run.py`. A model learns valid requests of the training file. Then attacks, and as a control honest
requests of the test file, are scored as they came and in other spellings, by the same threshold: an alert has a p-value of
at most 0.01. A spelling that raises honest requests as often as attacks does not tell them apart, it is odd itself.

Needs the command alone.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, Iterable, List, Tuple

from read import read
from rewrite import REWRITES

SEED = 20261115
FPR = "0.01"


def lines(rows: Iterable[bytes]) -> bytes:
    """Requests as JSON lines."""
    return b"".join(b'{"raw_b64":"%s"}\n' % base64.b64encode(row) for row in rows)


def alerts(tamiz: str, model: Path, rows: List[bytes]) -> float:
    """How many requests are alerts, in per cent."""
    command = [tamiz, "score", "--model", str(model), "--fpr", FPR, "--format", "jsonl"]
    told = subprocess.run(command, input=lines(rows), stdout=subprocess.PIPE, check=True).stdout
    verdicts = [json.loads(line)["verdict"] for line in told.splitlines()]
    if len(verdicts) != len(rows):
        raise SystemExit(f"{len(verdicts)} of {len(rows)} requests were scored")
    return 100 * verdicts.count("alert") / len(verdicts)


def table(tamiz: str, requests: Dict[str, List[bytes]], learned: int, rewritten: int) -> List[Tuple[str, float, float]]:
    """The alerts among attacks and among honest requests, by spelling."""
    rng = random.Random(SEED)
    pick = lambda name, count: rng.sample(requests[name], min(count, len(requests[name])))  # noqa: E731
    found = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "site.model"
        command = [tamiz, "learn", "-", "-o", str(model), "--quiet"]
        subprocess.run(command, input=lines(pick("train", learned)), check=True)
        attacks, honest = pick("attack", rewritten), pick("valid", rewritten)
        for name, rewrite in {"as they came": lambda row, _: row, **REWRITES}.items():
            rates = [alerts(tamiz, model, [rewrite(row, rng) for row in rows]) for rows in (attacks, honest)]
            found.append((name, rates[0], rates[1]))
            print(f"| {name} | {rates[0]:.1f} % | {rates[1]:.1f} % |", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="the folder with the data set")
    parser.add_argument("--tamiz", default="tamiz", help="the command")
    parser.add_argument("--learned", type=int, default=36_000)
    parser.add_argument("--rewritten", type=int, default=5_000)
    arguments = parser.parse_args()
    print("| spelling | attacks that are alerts | honest requests that are alerts |\n|---|---:|---:|")
    table(arguments.tamiz, read(arguments.path), arguments.learned, arguments.rewritten)


if __name__ == "__main__":
    main()
