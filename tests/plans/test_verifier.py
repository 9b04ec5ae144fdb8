import pytest

from boolattn.plans.candidate_scores import WEIGHTS
from boolattn.plans.rerank import rerank
from boolattn.plans.verifier import BUDGET, VerifierError

TEXTS = ["a film about war", "a love story", "a romance with dragons", "romantic dragons", "a tale of two hearts"]
QUERY = "romantic AND dragons NOT war"


def asked_about(texts=TEXTS, query=QUERY, **options):
    """Return the texts that a verifier is asked about, in order."""
    asked = []

    def verify(query, text):
        asked.append(text)
        return len(asked)

    rerank(query, texts, syntax=True, verifier=verify, **options)
    return asked


def test_only_undecided_candidates_are_asked_about_best_first():
    # "romantic dragons" fits, and the film about war does not.
    assert asked_about(documents="things") == ["a romance with dragons", "a love story", "a tale of two hearts"]


def test_part_of_another_word_is_undecided():
    assert asked_about(["eggplant", "eggplant stew", "eggs", "no eggs", "rice"], "NOT egg") == [
        "eggplant",
        "eggplant stew",
    ]


def test_a_single_undecided_candidate_is_not_asked_about():
    assert asked_about(["eggplant", "eggs"], "NOT egg") == []


def test_a_budget_bounds_the_questions():
    texts = [f"text {number}" for number in range(2 * BUDGET)]
    assert asked_about(texts) == texts[:BUDGET]


def test_its_numbers_change_the_order_on_any_scale():
    for scale in (1e-9, 1, 1e9):
        hits = rerank(
            QUERY, TEXTS, syntax=True, verifier=lambda query, text, by=scale: by * ("hearts" in text) - 3 * by
        )
        added = {hit.place: hit.verified for hit in hits}
        assert added[4] > 0 and added[1] == added[2] == 0 and added[0] is added[3] is None
        plain = {hit.place: hit.score for hit in rerank(QUERY, TEXTS, syntax=True)}
        assert {hit.place: hit.score - (hit.verified or 0) for hit in hits} == pytest.approx(plain)


def test_one_extreme_number_does_not_flatten_the_others():
    numbers = dict(zip([*TEXTS[1:], "a", "b"], [1, 2, 3, 4, 5, 1e12], strict=True))
    hits = rerank("x AND y", list(numbers), syntax=True, verifier=lambda query, text: numbers[text])
    added = {hit.place: hit.verified for hit in hits}
    assert added[0] < added[1] < added[2] and added[3] > 0
    assert added[5] == -added[0] == pytest.approx(WEIGHTS["pages"].verifier * (1 - 1 / 6)), "of the spread"


def test_it_gets_the_query_as_typed():
    rerank(QUERY, TEXTS, syntax=True, verifier=lambda query, text: float(query == QUERY))


def failing(query, text):
    raise ConnectionError("no route")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), None, "high", [1, 2]])
def test_a_wrong_number_is_an_error_that_names_the_verifier(wrong):
    def my_model(query, text):
        return wrong

    with pytest.raises(VerifierError, match=r"my_model returned .* for texts\[\d\]: return a finite number"):
        rerank(QUERY, TEXTS, syntax=True, verifier=my_model)


def test_a_failing_verifier_is_named():
    with pytest.raises(VerifierError, match=r"the verifier failing failed for texts\[2\]: ConnectionError: no route"):
        rerank(QUERY, TEXTS, syntax=True, verifier=failing)


def test_a_query_without_operators_asks_nothing():
    assert rerank("soup", TEXTS, verifier=failing)
