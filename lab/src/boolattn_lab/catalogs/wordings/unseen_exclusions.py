"""Exclusions in wordings that the rules do not know, as data: "spare me the westerns", "horror-free comedies".

The markup and ``<it>``, ``<they>``, ``{m.}`` are those of ``exclusions``. The wordings are in two halves, for training
and for testing, that share no word that signals an exclusion: "steer", "nix" and "veto" are in cues of ``TESTING``
but not of ``TRAINING`` or ``exclusions``. Only everyday words such as "had" and "out" are in both, and the sentence
shapes are similar.

All were chosen because the rules miss them. A comparison with the rules on these shows the gain where the rules fail,
not which of the two reads queries better.
"""

from typing import NamedTuple

from boolattn_lab.catalogs.wordings.exclusions import Patterns


class Half(NamedTuple):
    """One half of the wordings."""

    phrases: Patterns
    sentences: Patterns


TRAINING = Half(
    phrases=Patterns(
        of_nouns=(
            "<it> {not|in place of} <they>",
            "<it> as an {not|alternative to} <they>",
            "<it> that are {not|far from} being <they>",
            "<it> {not|unlike} <they>",
            "<it> {not|unless} they are <they>",
            "<it> with <they> {not|removed}",
            "<it> with <they> {not|filtered out}",
            "<it> with all <they> {not|left out}",
        ),
        of_one_atom=(
            "{m.topic}-{not|free} <it>",
            "<it> with {not|zero} {m.topic}",
            "<it> {not|untouched by} {m.topic}",
            "<it> that {not|skip} {m.topic}",
            "<it> that {not|keep} {m.topic} {not|out}",
        ),
    ),
    sentences=Patterns(
        of_nouns=(
            "<it> please, but {not|spare me} the <they>",
            "i'm {not|allergic to} <they>, so just <it>",
            "i {not|can't stand} <they>, give me <it>",
            "i {not|can't bear} <they>, what <it> are there?",
            "{not|sick of} <they>, looking for <it>",
            "{not|fed up with} <they>, any good <it>?",
            "i've {not|had enough of} <they>, show me <it>",
            "{not|enough} <they>, now for some <it>",
            "i'm {not|done with} <they>, which <it> do you have?",
            "i {not|dislike} <they>, can you find <it>?",
            "i {not|loathe} <they> but enjoy <it>",
            "i {not|have no use for} <they>, i need <it>",
            "{not|no more} <they>, i want <it>",
            "<they> {not|annoy me}, <it> please",
            "<it>, and {not|keep} <they> {not|out of it}",
            "<it>, {not|hold} the <they>",
            "<it>, {not|drop} the <they>",
            "<it>, {not|ditch} the <they>",
            "<it>, {not|cut out} the <they>",
            "list <it> and {not|filter out} <they>",
            "<it>, and {not|remove} any <they>",
            "find <it> and {not|hide} the <they>",
            "<it>, but {not|leave} <they> {not|for another day}",
            "<it>, {not|forget about} <they>",
            "<it>, <they> {not|don't count}",
            "<it>, <they> are a {not|no-go}",
            "<they> are {not|out}, <it> are in",
            "<it> yes, <they> {not|no thanks}",
            "<it> are welcome, <they> are {not|unwelcome}",
            "i'd choose <it> {not|before} <they> any day",
        ),
        of_one_atom=(
            "<it>, {not|hold} the {m.topic}",
            "<it>, but {not|spare me} {m.topic}",
            "<it>, and {not|keep} {m.topic} {not|out of it}",
            "<it> please, i'm {not|allergic to} {m.topic}",
        ),
    ),
)

TESTING = Half(
    phrases=Patterns(
        of_nouns=(
            "<it> {not|in lieu of} <they>",
            "<it> that could {not|hardly} be called <they>",
            "<it> with <they> {not|weeded out}",
        ),
        of_one_atom=(
            "{m.topic}-{not|less} <it>",
            "<it> {not|bereft of} {m.topic}",
            "<it> that {not|steer away from} {m.topic}",
            "<it> that {not|shun} {m.topic}",
            "<it> with {not|nary a trace of} {m.topic}",
            "<it> where {m.topic} is {not|absent}",
        ),
    ),
    sentences=Patterns(
        of_nouns=(
            "<it>, but {not|steer clear of} <they>",
            "{not|bored of} <they>, any good <it>?",
            "i've {not|had my fill of} <they>, show me <it>",
            "i {not|detest} <they>, can you recommend <it>?",
            "i'm {not|weary of} <they>, looking for <it>",
            "i {not|could do w/out} <they>, find <it>",
            "<they> {not|turn me off}, give me <it>",
            "i {not|gave up on} <they>, <it> please",
            "<they> {not|make me yawn}, what <it> are there?",
            "life is {not|too short for} <they>, show me <it>",
            "{not|who needs} <they>? i want <it>",
            "<it>, but {not|give} <they> {not|a miss}",
            "<it>, {not|nix} the <they>",
            "<it>, {not|scrap} the <they>",
            "<it>, and {not|weed out} the <they>",
            "<it>, and {not|stay away from} <they>",
            "please {not|purge} <they> from my list of <it>",
            "i {not|veto} <they>, so just <it>",
            "<it>, <they> {not|needn't apply}",
            "<it>, <they> are {not|off limits}",
            "<it>, <they> {not|banned}",
            "<it>, but if they are <they> i'll {not|pass}",
            "<it>, {not|hard pass on} <they>",
            "<it> thumbs up, <they> {not|thumbs down}",
        ),
        of_one_atom=(
            "<it>, but {not|steer clear of} {m.topic}",
            "<it>, {not|nix} the {m.topic}",
            "<it>, i've {not|had my fill of} {m.topic}",
        ),
    ),
)
