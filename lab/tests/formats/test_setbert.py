from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import SetBertTriple, read_setbert_triples


def test_positives_and_negatives_keep_their_sides():
    first, second = read_setbert_triples(FIXTURES / "setbert_not.jsonl")
    assert first == SetBertTriple("Toys that are not kites", ("Marbles", "Wooden tops"), ("Box kites",))
    assert second.negatives == ("Sloops", "Yawls")
