import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.reading.spans import marked_words

TEXT = "films but not;war now"
OFFSETS = [(0, 0), (0, 5), (6, 9), (10, 13), (13, 14), (14, 17), (0, 0), (0, 0)]


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_spans_cover_the_marked_words_and_no_others(marks):
    spans = marked_words(TEXT, OFFSETS, marks)
    for (first, last), marked in zip(OFFSETS, marks, strict=True):
        if first < last:
            assert any(span.start <= first and last <= span.end for span in spans) == marked
    assert list(spans) == sorted(spans) and not any(a.overlaps(b) for a in spans for b in spans if a != b)


@pytest.mark.parametrize(
    ("marks", "found"), [([1, 0, 0], ()), ([0, 1, 0], ("magnification",)), ([1, 1, 1], ("magnification x",))]
)
def test_words_are_marked_whole_or_not_at_all(marks, found):
    text, offsets = "magnification x", [(0, 3), (3, 13), (14, 15)]
    assert tuple(span.of(text) for span in marked_words(text, offsets, marks)) == found


def test_a_contraction_is_one_word():
    text, offsets = "it isn't", [(0, 2), (3, 6), (6, 7), (7, 8)]
    assert [span.of(text) for span in marked_words(text, offsets, [0, 1, 0, 0])] == ["isn't"]
