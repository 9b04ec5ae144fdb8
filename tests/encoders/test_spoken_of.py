import re

import pytest

from boolattn.encoders.spoken_of import layout_of, spoken_of


def kept(marked: str) -> list[str]:
    """Return what is left of [unwanted] words, given {cues}; a token is a word or a mark."""
    text = re.sub(r"[\[\]{}]", "", marked)
    places = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    labels, label = [], ""
    for token in re.findall(r"[\[\]{}]|\w+|[^\w\s]", marked):
        if token in "[{":
            label = token
        elif token in "]}":
            label = ""
        else:
            labels.append(label)
    layout = [layout_of(text, *place) for place in places]
    found = spoken_of([label == "{" for label in labels], [label == "[" for label in labels], layout)
    return [text[slice(*place)] for place, is_kept in zip(places, found, strict=True) if is_kept]


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("films {without} [war]", ["war"]),
        ("[war films] {excluded}, please", ["war", "films"]),
        ("{without} [eggs], [milk] or [butter]", ["eggs", "milk", "butter"]),
        # Nearer counts, and a comma stands between.
        ("[war] is {out}, [love] is in", ["war"]),
        ("in [Norman], while {avoiding} any mention of [Bart]", ["Bart"]),
        # What no cue speaks of.
        ("the career of [naval] officers in the old days of the fleet, {without} [Charleston]", ["Charleston"]),
        ("{besides} [Parker], who had a significant [role] in the founding", ["Parker"]),
        # Brackets.
        ("Marx ({without} [Manifesto]) and [Max] Weber ({without} [Ethic])", ["Manifesto", "Ethic"]),
        ("Mantua ({excluding} the [city]) [and William] Harvey", ["city"]),
        ("{without} [Harvey (the rabbit)]", ["Harvey", "(", "the", "rabbit", ")"]),
        ("so be it) {without} [war]", ["war"]),
        # Two cues, each with its own.
        ("{not} [war], {nor} [love]", ["war", "love"]),
        ("[war] {annoys} me, {no} [love] either", ["war", "love"]),
        ("{non}-[war] {non}-[love] films", ["war", "love"]),
        ("[war] is {out}, [love] is {out}", ["war", "love"]),
        # No cue: the reader has understood what is not said.
        ("enough of [war]", ["war"]),
        ("{without}", []),
    ],
)
def test_what_a_cue_speaks_of(marked, words):
    assert kept(marked) == words


def test_special_tokens_stand_nowhere():
    assert layout_of("(a", 0, 0) == (0, False)
