from random import Random

import numpy as np
import pytest
from tokenizers import Tokenizer

from boolattn.reading.learned import CAPITALS, GLUED, prepare, token_batch
from boolattn.reading.spans import Span
from boolattn_lab.reader.rows import NO_TOPIC, ReaderRow, batches_of, tensors_of


@pytest.fixture(scope="module")
def tokenizer(minilm_folder):
    return prepare(Tokenizer.from_file(str(minilm_folder / "tokenizer.json")))


def test_token_types_distinguish_minus_from_hyphen_and_upper_from_lower_case(tokenizer):
    apart, hyphen, capitals = token_batch(tokenizer, ["find -name", "non-stick", "cats NOT dogs"]).types.tolist()
    assert apart[:4] == [0, 0, 0, GLUED]  # [CLS] find - name
    assert hyphen[:4] == [0, 0, GLUED, GLUED]  # [CLS] non - stick
    assert capitals[:4] == [0, 0, CAPITALS, 0]


def test_the_labels_of_a_topic(tokenizer):
    query = "laptops without touchscreen"
    row = ReaderRow(query, frozenset(["topic"]), (Span(16, 27),))
    batch = tensors_of(tokenizer, [row])
    tokens = tokenizer.encode(query).tokens
    kinds = batch["token_kinds"][0].numpy()
    assert batch["kinds"].tolist() == [[0, 1, 0]]
    assert [tuple(each) == (0, 1, 0) for each in kinds[: len(tokens)]] == [
        place >= tokens.index("without") + 1 and place < len(tokens) - 1 for place in range(len(tokens))
    ]
    assert batch["token_known"][0, : len(tokens)].tolist() == [0, *[1] * (len(tokens) - 2), 0]
    assert not batch["cues_known"].any() and not batch["scopes_known"].any() and not batch["operators_known"].any()


def test_a_query_without_a_topic_may_contain_a_property_anywhere(tokenizer):
    kinds = tensors_of(tokenizer, [ReaderRow("birds that cannot fly", NO_TOPIC, ())])["token_kinds"][0].numpy()
    assert np.unique(kinds[:6], axis=0).tolist() == [[1, 0, 1]]


def test_cues_and_scopes_of_ambiguous_operators_are_unknown(tokenizer):
    spans = {"or": (Span(5, 7),), "and": (), "not": ()}
    row = ReaderRow("cats or dogs", frozenset(["none"]), (), {"or": True}, spans, {"or": (Span(0, 4), Span(8, 12))})
    batch = tensors_of(tokenizer, [row])
    assert batch["operators"].tolist() == [[0, 1]] and batch["operators_known"].tolist() == [[0, 1]]
    assert batch["cues"][0, :5, 1].tolist() == [0, 0, 1, 0, 0]
    assert batch["scopes"][0, :5, 1].tolist() == [0, 1, 0, 1, 0]
    assert batch["cues_known"][0, 1].tolist() == [0, 1, 1] and batch["scopes_known"][0, 1].tolist() == [0, 1]


def test_batches_contain_every_row_once_with_similar_lengths():
    rows = [ReaderRow("x" * (number % 50 + 1), frozenset(["none"])) for number in range(1000)]
    batches = batches_of(rows, 16, Random(0))
    assert sorted(row.query for batch in batches for row in batch) == sorted(row.query for row in rows)
    assert max(len(batch) for batch in batches) == 16
    spread = [max(len(row.query) for row in batch) - min(len(row.query) for row in batch) for batch in batches]
    assert sum(spread) / len(spread) < 5
