"""A tokenizer and a data set of documents: `python examples/huggingface.py REQUESTS.jsonl.gz OUT`.

Documents are text, and a tokenizer of your own, trained on them, is small: shapes take the place of values.
REQUESTS holds a request a line, as `raw_b64`, with a `label`; it may be compressed by gzip. An `id` keeps its type. What
is written to OUT is read back with `Tokenizer.from_file` and `datasets.load_from_disk`.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
from pathlib import Path
from typing import Any, Dict, List

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import tamiz


def read(path: Path) -> List[Dict[str, Any]]:
    """The rows of a file of JSON lines, which is told from a compressed one by its first bytes."""
    with path.open("rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if is_compressed else path.open("rb") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("requests", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocabulary", type=int, default=8_000)
    arguments = parser.parse_args()
    canonicalizer = tamiz.Canonicalizer()
    rows = read(arguments.requests)
    requests = [base64.b64decode(row["raw_b64"]) for row in rows]
    texts = [str(document) for document in canonicalizer.canonicalize_many(requests)]

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    special = ["[UNK]", "[PAD]"]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=arguments.vocabulary, special_tokens=special))

    dataset = Dataset.from_dict(
        {
            **({"id": [row.get("id") for row in rows]} if any("id" in row for row in rows) else {}),
            "text": texts,
            "label": [row.get("label") for row in rows],
            # A model is served documents of this fingerprint, or it is served something it never saw.
            "fingerprint": [canonicalizer.fingerprint] * len(texts),
        }
    )
    dataset = dataset.map(lambda batch: {"input_ids": [e.ids for e in tokenizer.encode_batch(batch["text"])]}, batched=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(arguments.out / "tokenizer.json"))
    dataset.save_to_disk(arguments.out / "dataset")


if __name__ == "__main__":
    main()
