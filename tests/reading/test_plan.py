import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boolattn.reading import limits
from boolattn.reading.caller import labelled_reading
from boolattn.reading.plan import BooleanPlan, QueryAtom, negated
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import Span
from boolattn.reading.syntax import parse
from tests.reading.syntax_trees import answers, brute_force, condition_of_tree, everyone, meaning, trees

NOTHING = {"and": (), "or": (), "not": ()}


def plan_by_rules(text):
    return read_by_rules(text).plan()


def marked_plan(marked):
    """Plan a text whose reading is drawn into it: <o:or> a cue, [n:war] a scope."""
    text, cues, scopes = "", dict(NOTHING), dict(NOTHING)
    names = {"a": "and", "o": "or", "n": "not"}
    for piece in marked.replace("]", "]\0").replace(">", ">\0").replace("[", "\0[").replace("<", "\0<").split("\0"):
        if piece[:1] in ("[", "<") and piece:
            kind, inner = (scopes if piece[0] == "[" else cues), piece[3:-1]
            kind[names[piece[1]]] += (Span(len(text), len(text) + len(inner)),)
            text += inner
        else:
            text += piece
    return labelled_reading(text, [name for name in cues if cues[name]], cues, scopes).plan()


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("movies set in Vietnam but not about war", "movies set in Vietnam NOT war"),
        ("films that are not comedies", "films NOT comedies"),
        ("birds of Peru or Ecuador", "birds AND (Peru OR Ecuador)"),
        ("1956 debut novels", "1956 debut novels"),
        (
            "restaurants with gardens and live music, without dogs or smoking",
            "restaurants AND gardens AND live music NOT dogs or smoking",
        ),
        ("not war films", "not war films"),
        ("cats, dogs and fish", "cats AND dogs AND fish"),
        ("trees of Manitoba, Alaska, or Ohio", "trees AND (Manitoba OR Alaska OR Ohio)"),
        ("cats or dogs, but not poodles", "(cats OR dogs) NOT poodles"),
        ("either cats that are also black or dogs, but not poodles", "((cats AND black) OR dogs) NOT poodles"),
        ("films set in Rome that are either comedies or dramas", "films set in Rome AND (comedies OR dramas)"),
        ("movies without violence, or books without love", "(movies NOT violence) OR (books NOT love)"),
        ("non-French comedies and dramas", "comedies and dramas NOT French"),
        ("films, except comedies, set in Rome", "films AND set in Rome NOT comedies"),
        ("painters (excluding Mona Lisa) of Italy", "painters AND of Italy NOT Mona Lisa"),
        ("films not about war that are set in 1917", "films AND set in 1917 NOT war"),
        ("books without dragons but with elves", "books AND with elves NOT dragons"),
        ("novels neither by Dickens nor about London", "novels NOT Dickens NOT London"),
        ("Which films are not set in Rome?", "Which films NOT Rome"),
        ('films like "Not Now" or "Here and There"', "films AND (Not Now OR Here and There)"),
        ("What is .NET?", "What is .NET?"),
        (".NET or Java", ".NET OR Java"),
        ("It or Carrie", "It OR Carrie"),
        ("films “of Rome” that aren\u2019t long", "films “of Rome” NOT long"),
    ],
)
def test_queries_as_the_rules_read_them(text, plan):
    assert str(plan_by_rules(text)) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("cookies with walnuts <or> raisins", "cookies AND (walnuts OR raisins)"),
        ("walnuts <or> raisins cookies", "(walnuts OR raisins) AND cookies"),
        ("cheap red <or> blue running shoes", "cheap AND (red OR blue) AND running shoes"),
        ("films by Hitchcock <or> Welles from the 1950s", "films AND (Hitchcock OR Welles) AND 1950s"),
        ("films with Tom Hanks <or> Meg Ryan", "films AND (Tom Hanks OR Meg Ryan)"),
        ("Tom Hanks <or> Meg Ryan films", "(Tom Hanks OR Meg Ryan) AND films"),
        ("salad with apples, walnuts <and> blue cheese", "salad AND apples AND walnuts AND blue cheese"),
        ("tacos with beans, corn, <or> rice", "tacos AND (beans OR corn OR rice)"),
        ("accountant jobs, remote <or> hybrid", "accountant jobs AND (remote OR hybrid)"),
        ("salmon <or> trout with dill <and> lemon", "(salmon OR trout) AND dill AND lemon"),
        ("dinner with salmon <or> trout <and> dill", "dinner AND (salmon OR trout) AND dill"),
        ("dinner with dill <and> salmon or trout", "dinner AND dill AND (salmon OR trout)"),
        ("<either> chocolate <or> vanilla cake", "(chocolate OR vanilla) AND cake"),
        ("cake with <both> chocolate <and> cherries", "cake AND chocolate AND cherries"),
        ("hotels in Rome <or> hostels in Paris", "hotels in Rome OR hostels in Paris"),
        ("soup with beans <or> salad with beans", "soup with beans OR salad with beans"),
        ("running shoes <or> hiking boots", "running shoes OR hiking boots"),
        ("show me laptops with an ssd <or> a big disk", "laptops AND (ssd OR big disk)"),
        ("chicken <and> rice", "chicken and rice"),
        ("potatoes with salt <and> pepper", "potatoes with salt and pepper"),
        ("ohio fairs <and> festivals", "ohio fairs and festivals"),
        ("how to cook <and> freeze beans", "how to cook and freeze beans"),
        ("which is newer, Alien <or> Aliens?", "which is newer, Alien or Aliens?"),
    ],
)
def test_alternatives_and_conjuncts_keep_what_they_share(text, plan):
    marked = text
    for cue in ("or", "either"):
        marked = marked.replace(f"<{cue}>", f"<o:{cue}>")
    for cue in ("and", "both"):
        marked = marked.replace(f"<{cue}>", f"<a:{cue}>")
    assert str(marked_plan(marked)) == plan


def test_what_vectors_encode_is_the_text_without_cues_and_exclusions():
    reading = read_by_rules("cookies with walnuts or raisins, but not with chocolate")
    assert str(reading.plan()) == "cookies AND (walnuts OR raisins) NOT chocolate"
    assert reading.wanted_text == "cookies with walnuts raisins"
    assert read_by_rules("cookies with walnuts").wanted_text == "cookies with walnuts"


def test_atoms_have_their_place_and_sign():
    text = "movies set in Vietnam but not about war"
    plan = plan_by_rules(text)
    assert plan.positives == (QueryAtom("movies set in Vietnam", Span(0, 21), 1),)
    assert plan.negatives == (QueryAtom("war", Span(36, 39), -1),)
    assert plan.atoms == plan.positives + plan.negatives
    assert (plan.query, plan.confidence, plan.source, plan.reader) == (text, 0.857, "rules", "rules 1")


@pytest.mark.parametrize(
    ("marked", "plan"),
    [
        ("<n:not> [n:war films]", "NOT war films"),
        ("films <n:not> [n:French] <o:or> [n:long]", "films NOT French NOT long"),
        ("films <n:not> <a:both> [n:French] <a:and> [n:long]", "films AND (NOT French OR NOT long)"),
        ("cakes <n:without> [n:eggs], [n:milk] <o:or> [n:butter]", "cakes NOT eggs NOT milk NOT butter"),
        ("films, <n:no> [n:Elsa Tanaka] [n:war films]", "films NOT Elsa Tanaka war films"),
        ("films, [n:war] <n:excluded>, of Rome", "films AND of Rome NOT war"),
        ("films <n:without> [n:war] <n:not> [n:love]", "films NOT war NOT love"),
        ("films <n:without> [n:war] <n:not> long", "films AND not long NOT war"),
        ("films <n:not> long", "films not long"),
        ("[a:cats] <n:not> [n:black] <o:or> [o:dogs]", "(cats NOT black) OR dogs"),
        ("cats <o:or> <n:not> [n:dogs]", "cats OR NOT dogs"),
        (
            "i'm <n:tired of> [n:dramas], show me [o:war] <o:or> [o:love] films",
            "(show me war OR love films) NOT dramas",
        ),
        ("<n:no> [n:love] please, just [o:war] films", "war films NOT love"),
        ("[a:old] [a:French] films <a:and> [a:long] ones", "old French films and long ones"),
        ("[n:?] films", "? films"),
    ],
)
def test_queries_as_a_model_may_read_them(marked, plan):
    assert str(marked_plan(marked)) == plan


def test_the_reading_of_another_text_is_an_error():
    reading = replace(read_by_rules("films that are not comedies"), query="films")
    with pytest.raises(ValueError, match=r"characters 15 to 18 of a query of 5.*this text"):
        reading.plan()


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_a_confidence_is_from_0_to_1(confidence):
    with pytest.raises(ValueError, match="from 0 to 1"):
        BooleanPlan("films", QueryAtom("films", Span(0, 5)), confidence, "caller", "caller")


def test_a_source_is_known():
    with pytest.raises(ValueError, match="no source 'guess': use one of caller, syntax, rules, learned, mechanism"):
        BooleanPlan("films", QueryAtom("films", Span(0, 5)), 1.0, "guess", "me")


def test_a_plan_as_json():
    plan = parse("films AND (comedy OR drama) NOT war")
    assert json.loads(json.dumps(plan.to_dict())) == {
        "query": "films AND (comedy OR drama) NOT war",
        "plan": "films AND (comedy OR drama) NOT war",
        "condition": {
            "all_of": [
                {"text": "films", "span": [0, 5], "sign": 1},
                {
                    "any_of": [
                        {"text": "comedy", "span": [11, 17], "sign": 1},
                        {"text": "drama", "span": [21, 26], "sign": 1},
                    ]
                },
                {"text": "war", "span": [32, 35], "sign": -1},
            ]
        },
        "confidence": 1.0,
        "source": "syntax",
        "reader": "syntax 1",
    }


@given(trees(), everyone)
def test_the_answers_of_a_plan_are_those_of_brute_force(tree, everyone):
    condition = condition_of_tree(tree)
    found = brute_force(tree, everyone)
    assert answers(condition, everyone) == found
    assert answers(negated(condition), everyone) == set(range(len(everyone))) - found
    assert meaning(negated(negated(condition))) == meaning(condition)


WORDS = [
    "films", "not", "and", "or", "either", "both", "at least one of", "without", "non", "neither", "nor", "excluding",
    "n't", "don't", "that", "are", "but", "also", "It", "i", "please", "just", "war", "Rome", "\u0130", ",", ";",
    "(", ")", ".", "?", "-", "\n", '"', "\u201c", "\u2019",
]  # fmt: skip
texts = st.one_of(
    st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join), st.lists(st.sampled_from(WORDS)).map("".join)
)


def check(plan, text):
    assert plan.atoms
    end = 0
    for atom in plan.atoms:
        assert end <= atom.span.start <= atom.span.end <= len(text)
        assert atom.text == atom.span.of(text) == atom.text.strip()
        assert atom.text or not text.strip()
        end = atom.span.end
    if text.strip():
        assert meaning(parse(str(plan)).condition) == meaning(plan.condition)


@given(texts)
@example("")
def test_every_text_has_a_plan(text):
    plan = plan_by_rules(text)
    check(plan, text)
    assert plan == plan_by_rules(text)
    assert len(plan.negatives) <= len(read_by_rules(text).exclusions)


@pytest.mark.parametrize("piece", ["either films ", "but ", "that are not ", "not films or "])
def test_a_huge_text_has_a_plan(piece, monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_QUERY", 10**9)
    monkeypatch.setattr(limits, "MOST_ATOMS", 10**9)
    text = piece * 1200 + "without war"
    check(plan_by_rules(text), text)


@given(texts, st.data())
def test_every_reading_has_a_plan(text, data):
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).filter(lambda pair: pair[0] < pair[1])
    several = st.lists(spans.map(lambda pair: Span(*pair)), max_size=4).map(tuple) if text else st.just(())
    labels = st.fixed_dictionaries(dict.fromkeys(NOTHING, several))
    reading = labelled_reading(text, NOTHING, data.draw(labels), data.draw(labels))
    plan = reading.plan()
    check(plan, text)
    for atom in plan.atoms:
        unwanted = any(atom.span.overlaps(scope) for scope in reading.scopes["not"])
        assert unwanted or atom.sign == 1, "nothing is excluded outside a scope"
