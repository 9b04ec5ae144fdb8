"""How users express exclusions, as data; the markup is described in ``wordings``.

``<it>`` is what is wanted and ``<they>`` what is not. If one or two single atoms are excluded, they are
the slots ``{m.}`` and ``{n.}``.
"""

from typing import NamedTuple


class Exclusion(NamedTuple):
    """How a template of the form "it, but not them" fills the patterns.

    Attributes:
        it: Replaces ``<it>``.
        they: Replaces ``<they>``.
        atoms: The excluded slots, if each is excluded separately.
    """

    it: str
    they: str
    atoms: str = ""


EXCLUSIONS: dict[str, Exclusion] = {
    "_ that are not _": Exclusion("{a.noun}", "{b.noun}", "b"),
    "_ that are also _ but not _": Exclusion("<joined a b>", "{c.noun}", "c"),
    "(_ or _) that are not _": Exclusion("<either a b>", "{c.noun}", "c"),
    "_ that are not (_ or _)": Exclusion("{a.noun}", "<listed b c>", "bc"),
    "_ that are not (_ that are also _)": Exclusion("{a.noun}", "<joined b c>"),
    "_ that are also _ but not (_ or _)": Exclusion("<joined a b>", "<listed c d>", "cd"),
    "_ that are also (_ or _) but not _": Exclusion("<joined-to-either a b c>", "{d.noun}", "d"),
}


class Patterns(NamedTuple):
    """Patterns by what they exclude."""

    of_nouns: tuple[str, ...]
    of_one_atom: tuple[str, ...]
    of_two_atoms: tuple[str, ...] = ()


PHRASES = Patterns(
    of_nouns=(
        "<it> {not|excluding} <they>",
        "<it> {not|except} <they>",
        "<it> {not|except for} <they>",
        "<it> {not|other than} <they>",
        "<it>, {not|but not} <they>",
        "<it>, {not|not} <they>",
        "<it> {not|apart from} <they>",
        "<it>, {not|aside from} <they>",
        "<it> {not|rather than} <they>",
        "<it> {not|instead of} <they>",
        "<it>, {not|leaving out} <they>",
        "<it>, {not|not counting} <they>",
        "<it>, {not|not including} <they>",
        "<it>, {not|but no} <they>",
        "<it> {not|minus} <they>",
        "<it>, {not|with the exception of} <they>",
        "<it> {not|as opposed to} <they>",
        "<it> {not|over} <they>",
        "<it>, {not|anything but} <they>",
    ),
    of_one_atom=(
        "<it> that are {not|not} {m.are}",
        "<it> that {not|aren't} {m.are}",
        "<it> which are {not|not} {m.are}",
        "<it> that do {not|not} {m.do}",
        "<it> that {not|don't} {m.do}",
        "<it> which {not|don't} {m.do}",
        "<it> {not|not} {m.post}",
        "<it> {not|but not} {m.post}",
        "<it> {not|without} {m.topic}",
        "<it> {not|w/o} {m.topic}",
        "<it> {not|sans} {m.topic}",
        "<it> that have {not|nothing} to do with {m.topic}",
    ),
    of_two_atoms=(
        "<it> that are {not|neither} {m.are} {not+or|nor} {n.are}",
        "<it> that {not|neither} {m.do} {not+or|nor} {n.do}",
        "<it> that {not|aren't} {m.are} {or|or} {n.are}",
        "<it> that {not|don't} {m.do} {or|or} {n.do}",
        "<it> {not|not} {m.post} {or|or} {n.post}",
        "<it> {not|without} {m.topic} {or|or} {n.topic}",
        "<it> with {not|neither} {m.topic} {not+or|nor} {n.topic}",
    ),
)
"""Noun phrases."""

SENTENCES = Patterns(
    of_nouns=(
        "{not|apart from} <they>, <it>",
        "{not|besides} <they>, what <it> are there?",
        "{not|aside from} <they>, which <it> would you recommend?",
        "{not|excluding} <they>, what are some <it>?",
        "{not|not counting} <they>, list <it>",
        "{not|no} <they> please, just <it>",
        "i like <it> but i {not|don't} like <they>",
        "i love <it> but {not|hate} <they>",
        "i prefer <it> {not|to} <they>",
        "i'd rather have <it> {not|than} <they>",
        "show me <it> but {not|leave out} <they>",
        "<it>, but please {not|no} <they>",
        "could you list <it> and {not|skip} <they>?",
        "i'm {not|tired of} <they>, show me <it>",
    ),
    of_one_atom=(
        "<it>, {not|no} {m.topic}",
        "which <it> {not|aren't} {m.are}?",
        "which <it> are {not|not} {m.are}?",
        "what <it> {not|don't} {m.do}?",
        "<it>, {not|nothing} {m.post} please",
        "<it>, {m.noun} {not|excluded}",
    ),
)
"""Whole sentences, and terse strings of words."""
