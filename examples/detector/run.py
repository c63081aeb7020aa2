"""What a document is worth to a detector: CSIC 2010, trained on valid traffic only.

    python examples/detector/run.py PATH [--out DIR]

PATH is a folder with the three text files of the data set (`normalTrafficTraining.txt`, …), or with the same as
`csic2010_*.jsonl.gz`. Prints a table, and writes it (`results.md`, `results.json`) and a plot
(`results.png`) to DIR.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
from detectors import Lof, Mahalanobis, Surprise
from read import read
from sklearn.feature_extraction.text import TfidfVectorizer

import tamiz
from tamiz.sklearn import TamizVectorizer

SEED = 20261115
"""Of every split and shuffle."""

TRAINED_ON = 20_000
"""How many valid requests the two detectors of texts are fitted on: the local outlier factor takes as many
distances for each request."""

VALIDATION_ATTACKS = 5_000
VALIDATION_VALID = 6_000

Rates = Tuple[float, float]


def recall(valid: Any, attack: Any) -> Rates:
    """How many attacks are odder than all but 1 % and 5 % of valid requests, in per cent."""
    of = lambda rate: 100 * float(np.mean(attack > np.quantile(valid, 1 - rate)))  # noqa: E731
    return of(0.01), of(0.05)


def compare(requests: Dict[str, List[bytes]], canonicalizer: tamiz.Canonicalizer) -> List[Dict[str, Any]]:
    """Raw text, document and tokens, by both detectors; the same rows for each."""
    picked = np.random.default_rng(SEED).choice(len(requests["train"]), TRAINED_ON, replace=False)
    requests = {**requests, "train": [requests["train"][at] for at in picked]}
    documents = {name: canonicalizer.canonicalize_many(rows, threads=2) for name, rows in requests.items()}
    texts = {
        "raw": {name: [row.decode("latin-1") for row in rows] for name, rows in requests.items()},
        "document": {name: [str(document) for document in rows] for name, rows in documents.items()},
        "tokens": documents,
    }
    table = []
    for kind, of in texts.items():
        vectorizer = TamizVectorizer() if kind == "tokens" else TfidfVectorizer(max_features=5_000)
        train = vectorizer.fit_transform(of["train"])
        valid, attack = vectorizer.transform(of["valid"]), vectorizer.transform(of["attack"])
        for detector in (Lof(), Mahalanobis()):
            started = time.time()
            detector.fit(train)
            at1, at5 = recall(detector.score(valid), detector.score(attack))
            row = {"text": kind, "detector": detector.name, "at 1 %": at1, "at 5 %": at5}
            table.append(row)
            print(f"{kind:9} {detector.name:32} {at1:5.1f} {at5:5.1f}  ({time.time() - started:.0f} s)", flush=True)
    return table


MARKER = re.compile(r"([^?&=\s|]+)=<(?:SECRET:)?([a-z0-9]+):(\d+)")


def tokens(document: tamiz.Document, with_lengths: bool) -> List[str]:
    """The tokens of a document; with the length of each value, not only its bucket."""
    plain = document.tokens
    return plain + ["x.%s=%s:%s" % found for found in MARKER.findall(str(document))] if with_lengths else plain


class Best:
    """The detector that does best on a validation split, which no row of the test is in."""

    def __init__(self, requests: Dict[str, List[bytes]], canonicalizer: tamiz.Canonicalizer) -> None:
        rng = np.random.default_rng(SEED)
        self.canonicalizer = canonicalizer
        train = rng.permutation(len(requests["train"]))
        attack = rng.permutation(len(requests["attack"]))
        self.test_attacks = [requests["attack"][at] for at in attack[VALIDATION_ATTACKS:]]
        pick = lambda name, rows: self._documents([requests[name][at] for at in rows])  # noqa: E731
        fitted = pick("train", train[VALIDATION_VALID:])
        valid = pick("train", train[:VALIDATION_VALID])
        attacks = pick("attack", attack[:VALIDATION_ATTACKS])
        found = []
        for with_lengths in (False, True):
            of = lambda rows: [tokens(row, with_lengths) for row in rows]  # noqa: B023, E731
            for prior in (0.5, 0.05, 1e-3, 1e-5):
                detector = Surprise(prior).fit(of(fitted))
                rates = recall(detector.score(of(valid)), detector.score(of(attacks)))
                print(f"  validation: prior {prior}, lengths {with_lengths}: {rates[0]:.1f} {rates[1]:.1f}", flush=True)
                found.append((rates[1], rates[0], with_lengths, prior))
        _, _, self.with_lengths, self.prior = max(found)
        everything = self._documents(requests["train"])
        self.detector = Surprise(self.prior).fit([tokens(row, self.with_lengths) for row in everything])
        self.valid = self.score(requests["valid"])

    def _documents(self, rows: Sequence[bytes]) -> List[tamiz.Document]:
        return self.canonicalizer.canonicalize_many(rows, threads=2)

    def score(self, rows: Sequence[bytes]) -> Any:
        return self.detector.score([tokens(row, self.with_lengths) for row in self._documents(rows)])

    def recall(self, attacks: Sequence[bytes]) -> Rates:
        """At the thresholds of valid requests as they came."""
        return recall(self.valid, self.score(attacks))


def write(out: Path, results: Dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    lines = ["| text | detector | at 1 % | at 5 % |", "|---|---|---:|---:|"]
    for row in results["table"] + [results["best"]]:
        lines.append(f"| {row['text']} | {row['detector']} | {row['at 1 %']:.1f} | {row['at 5 %']:.1f} |")
    (out / "results.md").write_text("\n".join(lines) + "\n")
    plot(out / "results.png", results)


def plot(path: Path, results: Dict[str, Any]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, left = plt.subplots(figsize=(7, 4.2), layout="constrained")
    rows = (results["table"] + [results["best"]])[::-1]
    places = np.arange(len(rows))
    bars = {"5 % false positives": ("at 5 %", 0.2, "#126782"), "1 %": ("at 1 %", -0.2, "#8ecae6")}
    for label, (rate, offset, colour) in bars.items():
        drawn = left.barh(places + offset, [row[rate] for row in rows], 0.4, label=label, color=colour)
        left.bar_label(drawn, fmt="%.1f", fontsize=8, padding=2)
    left.set_yticks(places, [f"{row['text']}: {row['detector']}" for row in rows])
    left.set_title("CSIC 2010, trained on valid requests only: attacks found, %", fontsize=10)
    left.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, -0.16), ncols=2, frameon=False)
    left.set_xlim(0, 108)
    left.tick_params(labelsize=8)
    left.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="the folder with the data set")
    parser.add_argument("--out", type=Path, default=Path("detector-results"))
    arguments = parser.parse_args()
    started = time.time()
    canonicalizer = tamiz.Canonicalizer()
    requests = read(arguments.path)
    print({name: len(rows) for name, rows in requests.items()}, canonicalizer.fingerprint)
    table = compare(requests, canonicalizer)
    best = Best(requests, canonicalizer)
    at1, at5 = best.recall(best.test_attacks)
    row = {"text": "tokens", "detector": Surprise.name, "at 1 %": at1, "at 5 %": at5}
    print(f"best: prior {best.prior}, lengths {best.with_lengths}: {at1:.1f} {at5:.1f}")
    results = {
        "fingerprint": canonicalizer.fingerprint,
        "seed": SEED,
        "rows": {name: len(rows) for name, rows in requests.items()},
        "table": table,
        "best": {**row, "prior": best.prior, "with lengths": best.with_lengths},
        "seconds": round(time.time() - started),
    }
    write(arguments.out, results)
    print(f"{results['seconds']} s; written to {arguments.out}")


if __name__ == "__main__":
    main()
