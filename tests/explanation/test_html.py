import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.explanation.html import fragment, page
from boolattn.explanation.words import MINUS
from boolattn.operators import OPERATORS
from tests.explanation.handmade import handmade
from tests.explanation.queries import HOSTILE, PLAIN, VIETNAM


class Reader(HTMLParser):
    """Reads the elements, and the text of those with a given class or name."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "link"):
            self.open.append((tag, dict(attributes).get("class") or ""))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, "elements close in the order they opened"

    def handle_data(self, data):
        self.texts.append((list(self.open), data))

    def text(self, name, without=()):
        def names(element):
            return {element[0], *element[1].split()}

        return "".join(
            data
            for path, data in self.texts
            if any(name in names(element) for element in path)
            and not any(names(element) & set(without) for element in path)
        )


def test_everything_is_shown(explain):
    read = Reader(page(explain(VIETNAM)))
    assert read.text("title") == f"Explained: {VIETNAM}"
    assert " ".join(read.text("verdict").split()) == "Excludes war, because of but not."
    assert "nothing here was learned" in read.text("source")
    assert f"{MINUS} war excluded" in read.text("atoms").replace("\xa0", " ")
    assert "+ movies set in Vietnam wanted" in read.text("atoms").replace("\xa0", " ")
    assert "Reader: rules 1. Confidence: 86 %" in read.text("note")
    # Struck out and underlined also where no style is: in the heading, the verdict, the plan and all tables.
    assert read.text("del") == "war" * 6 and read.text("u").startswith("but not")
    assert f"{MINUS}4.0" in read.text("layers") and "every layer" in read.text("layers")


def test_nothing_changed(explain):
    read = Reader(page(explain(PLAIN)))
    assert "Nothing was changed" in read.text("verdict")
    assert "→" not in read.text("table") and not read.text("del")
    assert not any(attributes.get("class") == "before" for _, attributes in read.elements)


def test_one_file_without_scripts_or_external_resources(explain):
    source = page(explain(VIETNAM))
    read = Reader(source)
    assert not {"script", "img", "iframe", "object", "embed"} & {tag for tag, _ in read.elements}
    assert not any(name.startswith("on") or name == "src" for _, found in read.elements for name in found)
    assert [found["href"] for _, found in read.elements if "href" in found] == ["data:,"]
    assert "url(" not in source and "@import" not in source and "http:" not in source and "https:" not in source
    (policy,) = [found["content"] for _, found in read.elements if found.get("http-equiv")]
    assert policy.startswith("default-src 'none';") and "script-src" not in policy


def test_a_hostile_query_is_only_text(explain):
    for explanation in (explain(HOSTILE), handmade(HOSTILE, {"not": ["not"]}, {"not": ["war"]})):
        read = Reader(page(explanation))
        assert "script" not in {tag for tag, _ in read.elements}
        assert not any("onload" in found for _, found in read.elements)
        assert read.text("h1", without=("mark", "operator")) == HOSTILE


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_query_is_shown_verbatim(query):
    cues, scopes = {"not": query.split()[:1]}, {"not": query.split()[1:2]}
    read = Reader(page(handmade(query, cues, scopes)))
    assert read.text("h1", without=("mark", "operator")) == query


def test_several_in_one_notebook_have_unique_ids():
    explanation = handmade("films")
    ids = [found["id"] for _ in range(2) for _, found in Reader(fragment(explanation)).elements if "id" in found]
    assert len(ids) == len(set(ids)) == 6
    labels = [found.get("aria-labelledby") for _, found in Reader(fragment(explanation)).elements]
    assert "main" not in {tag for tag, _ in Reader(fragment(explanation)).elements} and any(labels)


def test_bars_and_heat_follow_the_numbers():
    explanation = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})
    source = page(explanation)
    widths = [float(width) for width in re.findall(r'class="after" style="width: ([\d.]+)%"', source)]
    bare, shares = explanation.attention_before.mean(0), explanation.attention_after.mean(0)
    words = [shares[1] + shares[2], shares[3], shares[4]]  # film-s not war
    widest = max(*words, *bare[3:5], bare[1:3].sum())
    assert widths == pytest.approx([100 * share / widest for share in words], abs=0.1)
    assert f'<td class="less" style="--heat: 1.00">{MINUS}2.0<small>100%' in source
    joined = page(handmade("films or plays", {"or": ["or"]}, {"or": ["plays"]}))
    assert '<td class="more" style="--heat: 1.00">+2.0<small>100%' in joined


def test_every_operator_in_the_query_has_a_grid():
    held = {name: [name] for name in OPERATORS}
    read = Reader(page(handmade("a and b or c not d", held, {"and": ["a"], "or": ["b", "c"], "not": ["d"]})))
    assert [title for title in ("“and”", "“or”", "“not”", "Attention") if title in read.text("summary")] == [
        "“and”", "“or”", "“not”", "Attention",
    ]  # fmt: skip
    assert "Combines b, c with or." in " ".join(read.text("verdict").split())


def luminance(colour):
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(mode):
    style = fragment(handmade("films"))
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", re.findall(r"--paper.*?}", style, re.DOTALL)[mode]))
    for text, ground in [
        ("ink", "paper"), ("ink", "panel"), ("ink", "excluded-tint"), ("muted", "paper"), ("muted", "excluded-tint"),
        ("wanted", "paper"), ("excluded", "paper"), ("excluded", "excluded-tint"), ("cue", "paper"),
        ("cue", "cue-tint"),
    ]:  # fmt: skip
        light, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
