"""Hits of a search in the terminal."""

from rich.console import Console

from boolattn.explanation.hits import render_hits
from boolattn.reading.readers import reader_of
from boolattn.retrieval.search.hits import AtomEffect, SearchHit


def printed(*effects):
    """Return the lines printed for one hit of "films without war", given the effects of its two atoms."""
    plan = reader_of("rules").read(["films without war"])[0].plan()
    atoms = tuple(AtomEffect(atom.text, atom.sign, effect) for atom, effect in zip(plan.atoms, effects, strict=True))
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(render_hits(plan, [SearchHit("1", 0.5, "A film", "A film about food", {}, atoms)]))
    return captured.get().splitlines()


def test_effects_are_shown_with_their_signs():
    assert "similarity 0.57   films +0.05   war -0.12" in printed(0.05, -0.12)


def test_an_effect_that_rounds_to_zero_has_no_sign():
    for effect in (0.0, -0.0, 0.004, -0.004):
        assert "similarity 0.45   films +0.05   war 0.00" in printed(0.05, effect)
