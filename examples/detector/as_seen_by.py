"""What it is worth to train on what will be served: CSIC 2010, behind a proxy.

    python examples/detector/as_seen_by.py PATH [--source nginx] [--train 10000]

A detector is fitted on valid requests and given the threshold that 5 % of other valid requests of the same kind are
above. Then it is asked about requests as the proxy hands them over. Once it was fitted on raw requests, once on the
same requests as the proxy would have handed them over. PATH is as for `run.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
from detectors import Lof, Mahalanobis
from read import read
from run import SEED
from sklearn.feature_extraction.text import TfidfVectorizer

import tamiz

CALIBRATED_ON = 5_000
"""How many valid requests, none of which was trained on, set the threshold."""

FALSE_POSITIVES = 0.05

Documents = List[tamiz.Document]


def tokens(document: tamiz.Document) -> List[str]:
    """What a vectorizer counts."""
    return document.tokens


def handed_over(documents: List[Optional[tamiz.Document]]) -> Documents:
    """Those that the source does not refuse."""
    return [document for document in documents if document is not None]


def measure(detector: Any, train: Documents, calibration: Documents, served: Dict[str, Documents]) -> Dict[str, float]:
    """How many served requests are above the threshold, in per cent."""
    # `TamizVectorizer` would refuse documents of another source than it was fitted on. That it is right is shown here.
    vectorizer = TfidfVectorizer(analyzer=tokens, min_df=2, sublinear_tf=True)
    detector.fit(vectorizer.fit_transform(train))
    score = lambda rows: detector.score(vectorizer.transform(rows))  # noqa: E731
    threshold = np.quantile(score(calibration), 1 - FALSE_POSITIVES)
    return {name: 100 * float(np.mean(score(rows) > threshold)) for name, rows in served.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--source", default="nginx")
    parser.add_argument("--train", type=int, default=10_000)
    options = parser.parse_args()
    requests = read(options.path)
    wire, proxy = tamiz.Canonicalizer(), tamiz.Canonicalizer(source=options.source)
    picked = np.random.default_rng(SEED).permutation(len(requests["train"]))
    train = [requests["train"][at] for at in picked[: options.train]]
    calibration = [requests["train"][at] for at in picked[options.train : options.train + CALIBRATED_ON]]
    served = {name: handed_over(proxy.canonicalize_as_seen(requests[name])) for name in ("valid", "attack")}
    for name, rows in served.items():
        reasons = Counter(filter(None, map(proxy.refusal, requests[name])))
        told = ", ".join(f"{count} for {reason}" for reason, count in reasons.most_common())
        print(f"{name}: {len(rows)} of {len(requests[name])} handed over by {options.source}; refused: {told or 'none'}")
    print("\n| detector | trained on | recall | false positives |\n|---|---|---:|---:|")
    for make in (Lof, Mahalanobis):
        for trained_on, of in (("raw requests", wire), (f"as seen by {options.source}", proxy)):
            documents = [handed_over(of.canonicalize_as_seen(rows)) for rows in (train, calibration)]
            rates = measure(make(), *documents, served)
            row = [make().name, trained_on, f"{rates['attack']:.1f} %", f"{rates['valid']:.1f} %"]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
