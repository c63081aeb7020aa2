"""A tokenizer and a data set of documents: `python examples/huggingface.py REQUESTS.jsonl OUT`.

Documents are text, and a tokenizer of your own, trained on them, is small: shapes take the place of values.
REQUESTS holds a request a line, as `raw_b64`, with a `label`. What is written to OUT is read back with
`Tokenizer.from_file` and `datasets.load_from_disk`.
"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import tamiz


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("requests", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocabulary", type=int, default=8_000)
    arguments = parser.parse_args()
    canonicalizer = tamiz.Canonicalizer()
    rows = [json.loads(line) for line in arguments.requests.read_text().splitlines()]
    requests = [base64.b64decode(row["raw_b64"]) for row in rows]
    texts = [str(document) for document in canonicalizer.canonicalize_many(requests)]

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    special = ["[UNK]", "[PAD]"]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=arguments.vocabulary, special_tokens=special))

    dataset = Dataset.from_dict(
        {
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
