"""The real all-MiniLM-L6-v2, with exclusions read by rules."""

import numpy as np
import pytest
import torch
from transformers import AutoModel

from boolattn import attach
from boolattn.explanation.tracing import explain_tokens
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import token_labels


@pytest.fixture(scope="session")
def explain(minilm_folder, minilm_tokenizer):
    model = attach(AutoModel.from_pretrained(minilm_folder).eval())

    def explain(query):
        reading, encoding = read_by_rules(query), minilm_tokenizer(query, return_tensors="pt")
        offsets = encoding.encodings[0].offsets
        cue, negated = (np.array(token_labels(offsets, spans["not"])) for spans in (reading.cues, reading.scopes))
        negated &= ~cue
        kept = ~(cue | negated)
        readout = kept / kept.sum() - 0.3 * negated / max(negated.sum(), 1)
        cues, scopes = (np.zeros((1, len(offsets), 3), dtype=np.float32) for _ in range(2))
        cues[0, :, 2], scopes[0, :, 2] = cue, cue | negated
        return explain_tokens(
            model,
            query,
            encoding,
            source="rules",
            reading=reading,
            plan=reading.plan(),
            readout=readout,
            operators=[["not"] if negated.any() else []],
            cues=torch.from_numpy(cues),
            scopes=torch.from_numpy(scopes),
            strength={"not": 4.0},
        )

    return explain
