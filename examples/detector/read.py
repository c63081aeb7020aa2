"""Reads CSIC 2010: its text files, or the same as `csic2010_*.jsonl.gz`."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Dict, List

FILES = {
    "train": ("csic2010_normal_train", "normalTrafficTraining"),
    "valid": ("csic2010_normal_test", "normalTrafficTest"),
    "attack": ("csic2010_anomalous", "anomalousTrafficTest"),
}


def read(folder: Path) -> Dict[str, List[bytes]]:
    """The requests of the three files."""
    requests = {}
    for name, (rows, text) in FILES.items():
        if (path := folder / f"{rows}.jsonl.gz").exists():
            with gzip.open(path, "rt") as lines:
                requests[name] = [base64.b64decode(json.loads(line)["raw_b64"]) for line in lines]
        elif (path := folder / f"{text}.txt").exists():
            requests[name] = cut(path.read_bytes())
        else:
            raise SystemExit(f"{folder}: neither {rows}.jsonl.gz nor {text}.txt is there")
    return requests


def cut(text: bytes) -> List[bytes]:
    """The requests of a text file of CSIC 2010: one after the other, a form on a line of its own."""
    pieces = re.split(rb"(?m)^(?=(?:GET|POST|PUT) http://)", text.replace(b"\r\n", b"\n"))
    requests = []
    for piece in pieces[1:]:
        head, _, body = piece.partition(b"\n\n")
        requests.append(head.replace(b"\n", b"\r\n") + b"\r\n\r\n" + body.strip(b"\n"))
    return requests
