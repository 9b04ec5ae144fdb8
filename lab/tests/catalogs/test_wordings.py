"""Every wording of every template has the right meaning, with exact spans."""

from itertools import product

import pytest
from lab.tests.catalogs.catalogs import CATALOGS, films

from boolattn_lab.catalogs.expressions import NESTED_TEMPLATES, QUEST_TEMPLATES, TEMPLATES, atoms_of, scopes_of
from boolattn_lab.catalogs.wordings.phrasebook import FRAMES
from boolattn_lab.catalogs.wordings.wording import CuePhrase, wordings_of


def first(patterns):
    return patterns[0]


def atom_choices():
    catalog = films()
    comedy, horror, silent = (catalog.atom("genres", genre) for genre in ("Comedy", "Horror", "Silent"))
    fifties, sixties = catalog.atom("decades", "1950s"), catalog.atom("decades", "1960s")
    pair, ada = catalog.atom("cast", "Salt and Pepper"), catalog.atom("cast", "Ada Marlow")
    return comedy, horror, silent, fifties, sixties, pair, ada


def test_the_seven_templates_of_quest_and_nested_ones_to_depth_three():
    assert len(QUEST_TEMPLATES) == 7
    assert {depth(shape) for shape in NESTED_TEMPLATES.values()} == {2, 3}
    assert all(name.count("_") == len(atoms_of(shape)) for name, shape in TEMPLATES.items())


def depth(expression):
    parts = getattr(expression, "parts", None) or [
        getattr(expression, name) for name in ("kept", "dropped") if hasattr(expression, name)
    ]
    return 1 + max(map(depth, parts)) if parts else 0


@pytest.mark.parametrize("template", TEMPLATES)
def test_wordings_use_every_atom_once_and_only_cues_of_their_operators(template):
    shape = TEMPLATES[template]
    for wording in wordings_of(template):
        assert sorted(mention.slot for mention in wording.mentions) == list(range(len(atoms_of(shape))))
        said = {name for piece in wording.pieces if isinstance(piece, CuePhrase) for name in piece.operators}
        assert said <= set(scopes_of(shape))
        assert not any(mark in piece for piece in wording.pieces if isinstance(piece, str) for mark in "{}<>")


@pytest.mark.parametrize("template", TEMPLATES)
def test_negations_are_always_explicit(template):
    for wording in wordings_of(template):
        said = {name for piece in wording.pieces if isinstance(piece, CuePhrase) for name in piece.operators}
        assert set(scopes_of(TEMPLATES[template])) - {"and"} <= said, "only a conjunction goes without saying"


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_canonical_wording_is_of_nouns_and_suits_any_atoms(template):
    canonical = wordings_of(template)[0]
    assert {mention.role for mention in canonical.mentions} == {"noun"}
    for build in CATALOGS.values():
        assert canonical.suits(build().atoms[: len(canonical.mentions)])


@pytest.mark.parametrize("template", TEMPLATES)
def test_spans_are_exact_for_every_wording_and_frame(template):
    operators = scopes_of(TEMPLATES[template])
    checked = 0
    comedy, _, silent, fifties, sixties, pair, _ = atom_choices()
    for atoms in product((comedy, silent, fifties, sixties, pair), repeat=min(len(atoms_of(TEMPLATES[template])), 3)):
        atoms = (*atoms, atoms[0])[: len(atoms_of(TEMPLATES[template]))]
        for number, wording in enumerate(wordings_of(template)):
            if not wording.suits(atoms):
                continue
            checked += 1
            frame = FRAMES[number % len(FRAMES)]
            rendered = wording.render(atoms, "films", first, frame)
            for atom, mention, span in zip(
                (atoms[mention.slot] for mention in wording.mentions),
                wording.mentions,
                (rendered.mentions[mention.slot] for mention in wording.mentions),
                strict=True,
            ):
                role = {"like": "modifier", "apart": "post"}.get(mention.role, mention.role)
                assert span.of(rendered.text) == atom.wordings(role, "films")[0]
            cues = [piece for piece in wording.pieces if isinstance(piece, CuePhrase)]
            for operator in operators:
                expected = [piece.text for piece in cues if operator in piece.operators]
                assert [span.of(rendered.text) for span in rendered.cues.get(operator, ())] == expected
            assert rendered.text.startswith(frame[0]) and rendered.text.endswith(frame[1])
    assert checked > 10


def texts(template, *atoms):
    return {
        wording.render(atoms, "films", first).text: wording for wording in wordings_of(template) if wording.suits(atoms)
    }


def test_there_are_dozens_of_ways_to_exclude():
    comedy, horror, _, fifties, *_ = atom_choices()
    said = texts("_ that are not _", fifties, horror)
    assert len(said) >= 40
    for expected in (
        "films from the 1950s that aren't horror films",
        "films from the 1950s rather than horror films",
        "films from the 1950s over horror films",
        "i prefer films from the 1950s to horror films",
        "apart from horror films, films from the 1950s",
        "films from the 1950s without horror",
        "films from the 1950s -horror",
        "non-horror films from the 1950s",
    ):
        assert expected in said
    assert "comedy films that don't come from the 1950s" in texts("_ that are not _", comedy, fifties)
    assert sum(len(wordings_of(template)) for template in TEMPLATES) > 400


def test_a_conjunction_may_be_implicit():
    comedy, _, silent, fifties, *_ = atom_choices()
    said = texts("_ that are also _", fifties, comedy)
    assert said["1950s comedy films"].render((fifties, comedy), "films", first).cues == {}
    assert "comedy 1950s films" not in texts("_ that are also _", comedy, fifties), "decades come first"
    assert "comedy silent films" not in texts("_ that are also _", comedy, silent), "adjectives come first"
    assert "silent comedy films" in texts("_ that are also _", silent, comedy)


def test_an_and_inside_a_name_is_not_a_cue():
    *_, pair, ada = atom_choices()
    wording = texts("_ that are also _", pair, ada)["films starring Salt and Pepper and Ada Marlow"]
    rendered = wording.render((pair, ada), "films", first)
    assert [span.start for span in rendered.cues["and"]] == [rendered.text.index("and Ada")]
    assert rendered.mentions[0].of(rendered.text) == "films starring Salt and Pepper"


def test_values_share_a_noun_only_within_a_column():
    comedy, _, _, fifties, sixties, pair, ada = atom_choices()
    assert "films from the 1950s or the 1960s" in texts("_ or _", fifties, sixties)
    assert "1950s or 1960s films" in texts("_ or _", fifties, sixties)
    assert "1950s or comedy films" not in texts("_ or _", fifties, comedy)
    assert "films starring Salt and Pepper with Ada Marlow" not in texts("_ that are also _", pair, ada)


def test_a_capital_letter_moves_no_span():
    comedy, horror, *_ = atom_choices()
    rendered = wordings_of("_ that are not _")[0].render((comedy, horror), "films", first)
    assert rendered.capitalised().text == "Comedy films that are not horror films"
    assert rendered.capitalised().mentions == rendered.mentions
