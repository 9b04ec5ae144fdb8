import torch
from hypothesis import given
from hypothesis import strategies as st

from boolattn.reading.spans import Span
from boolattn_lab.paper.examples import Question
from boolattn_lab.paper.labels import pack, unpack

OPERATORS = ("and", "or", "not")
TOKENS = 6
WORD = 3  # characters of a token; tokens follow one another without space
spans = st.lists(st.integers(0, TOKENS - 1).map(lambda n: Span(n * WORD, n * WORD + WORD)), max_size=3).map(tuple)
by_operator = st.dictionaries(st.sampled_from(OPERATORS), spans)
questions = st.builds(
    Question, st.just("x" * TOKENS * WORD), st.frozensets(st.sampled_from(OPERATORS)), by_operator,
    by_operator | st.none(), st.just(()) | st.just(("a",)), st.just(()) | st.just(("b",)),
    st.frozensets(st.sampled_from(OPERATORS)),
)  # fmt: skip
OFFSETS = [(0, 0), *((n * WORD, n * WORD + WORD) for n in range(TOKENS)), (0, 0)]  # [CLS] ... [SEP]


def _table(spans_of, length):
    """Which token has which operator, from the spans: token n + 1 is the n-th word."""
    table = torch.zeros(length, len(OPERATORS))
    for operator, spans in spans_of.items():
        for span in spans:
            table[span.start // WORD + 1, OPERATORS.index(operator)] = 1
    return table


@given(st.lists(questions, min_size=1, max_size=4))
def test_unpacking_gives_back_what_was_packed(batch):
    rows = torch.tensor([pack(question, OFFSETS, OPERATORS, query_tokens=12) for question in batch])
    length = len(OFFSETS)
    labels = unpack(rows, len(OPERATORS), length)
    for n, question in enumerate(batch):
        assert labels.gates[n].tolist() == [float(name in question.operators) for name in OPERATORS]
        assert torch.equal(labels.cues[n], _table(question.cues, length))
        assert torch.equal(labels.scopes[n], _table(question.scopes or {}, length))
        assert bool(labels.scopes_known[n]) == (question.scopes is not None)
        assert bool(labels.implies[n]) == bool(question.implied)
        assert bool(labels.excludes[n]) == bool(question.excluded)
        assert labels.gates_known[n].tolist() == [name not in question.unsure for name in OPERATORS]


def test_a_batch_shorter_than_the_labels_is_truncated():
    question = Question("xxx", frozenset({"or"}), {"or": (Span(0, 3),)}, None)
    row = pack(question, [(0, 0), (0, 3), (0, 0)], OPERATORS, query_tokens=8)
    assert len(row) == 9
    labels = unpack(torch.tensor([row]), len(OPERATORS), length=4)
    assert labels.cues[0].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_model_without_operators_gets_only_query_labels():
    question = Question("xxx", frozenset({"not"}), {"not": (Span(0, 3),)}, {}, excluded=("b",))
    labels = unpack(torch.tensor([pack(question, (), (), 0)]), operators=0, length=7)
    assert labels.excludes.tolist() == [True]
    assert labels.implies.tolist() == [False]
    assert labels.gates.shape == (1, 0)
