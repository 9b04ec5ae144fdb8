import pytest
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import BadRowError, read_cdsco


def test_sentences_and_their_negations():
    plain, negated = read_cdsco(FIXTURES / "cdsco.txt")
    assert (plain.story, plain.number) == ("harbour01", 0)
    assert plain.text == "Boats sailed ."
    assert plain.negations == ()
    assert (negated.story, negated.number) == ("harbour01", 1)
    assert negated.words == ("He", "was", "unkind", ",", "and", "never", "spoke", ".")

    unkind, never = negated.negations

    def texts(ranges):
        return [negated.text[start:end] for start, end in ranges]

    assert texts(unkind.cue) == ["un"]
    assert texts(unkind.scope) == ["He", "was", "kind"]
    assert texts(unkind.event) == ["kind"]
    assert unkind.cue == ((7, 9),) and unkind.event == ((9, 13),)
    assert texts(never.cue) == ["never"]
    assert texts(never.scope) == ["He", "spoke"]
    assert never.cue == ((20, 25),)


def test_a_line_with_another_width_than_its_sentence_is_reported(tmp_path):
    lines = (FIXTURES / "cdsco.txt").read_text().splitlines()
    lines[6] = "\t".join(lines[6].split("\t")[:10])
    path = tmp_path / "cdsco.txt"
    path.write_text("\n".join(lines))
    with pytest.raises(BadRowError, match=r"line 7, .*expected 6 columns of marks.*got 3"):
        list(read_cdsco(path))
