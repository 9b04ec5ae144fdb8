"""Words of exclusion that exclude nothing, as data: "i can't get enough of westerns", "packages to avoid data loss".

All are wordings of the template "_": one atom, which is wanted. The surrounding phrases mention nothing in the
catalog, so the answers are those of the atom. Some fit any catalog, some only one with a certain head word. They
are split into two halves like ``unseen_exclusions``, and the training half contains none of the words that signal an
exclusion in the testing half there.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Half(NamedTuple):
    """One half of the wordings: noun phrases, which may be framed, and whole sentences.

    Attributes:
        sentences: Sentences for any catalog.
        phrases_of: Head word -> phrases for a catalog with it.
    """

    sentences: tuple[str, ...]
    phrases_of: Mapping[str, tuple[str, ...]]


TRAINING = Half(
    sentences=(
        "i can't get enough of {a.noun}",
        "i can't live without {a.noun}, show me more",
        "i can't stand waiting, show me {a.noun} now",
        "tired of searching, where are the {a.noun}?",
        "i'm sick of asking, just give me {a.noun}",
        "fed up with this search, i want {a.noun}",
        "hate to ask again, but any {a.noun}?",
        "i hate it that there are so few {a.noun}",
        "don't forget the {a.noun}",
        "never mind the rest, just {a.noun}",
        "nothing beats {a.noun}",
        "nothing but {a.noun} please",
        "i want {a.noun} and nothing else",
        "i'm free today, any {a.noun}?",
        "drop everything and find {a.noun}",
        "please keep {a.noun} in the list",
        "do not leave me waiting for {a.noun}",
        "no other list will do, i need {a.noun}",
        "why not {a.noun}?",
        "skip the chatter and list {a.noun}",
        "{a.noun}, hold on, let me see them all",
        "without further ado, {a.noun}",
        "{a.noun}, no matter what else they are",
        "whether or not they are any good, {a.noun}",
    ),
    phrases_of={
        "films": (
            "{a.noun} about a man without a country",
            "{a.noun} about people who hate their neighbours",
            "{a.noun} in which nobody believes the hero",
            "{a.noun} about a woman who is tired of city life",
            "{a.noun} about a man who can't forget his past",
            "{a.noun} about a prisoner set free",
            "{a.noun} about a boy left out of the team",
            "{a.noun} in which someone never comes home",
        ),
        "packages": (
            "{head} {a.post} to avoid data loss",
            "{head} {a.post} to remove duplicates",
            "{head} {a.post} to filter out noise",
            "{head} {a.post} to hide passwords",
            "{head} {a.post} that free disk space",
            "{head} {a.post} for those who hate typing",
            "{head} {a.post} to detect dropped connections",
            "{head} {a.post} to find what is not needed any more",
        ),
    },
)

TESTING = Half(
    sentences=(
        "bored at home, any {a.noun}?",
        "i need my fill of {a.noun}",
        "i never tire of {a.noun}",
        "{a.noun} are exactly my cup of tea, nothing less",
        "i would not want to miss {a.noun}",
        "who could do without {a.noun}? list them",
        "except for a short break i have all day for {a.noun}",
        "before i scrap the whole list, show me {a.noun}",
        "instead of guessing, tell me which {a.noun} there are",
        "one can never have too many {a.noun}",
        "i won't pass up any {a.noun}",
    ),
    phrases_of={
        "films": (
            "{a.noun} about a village that shuns strangers",
            "{a.noun} about a bored housewife",
            "{a.noun} about a banned book",
            "{a.noun} about a father who stays away from home",
            "{a.noun} about a rebel without a cause",
        ),
        "packages": (
            "{head} {a.post} to purge old backups",
            "{head} {a.post} to weed out duplicates",
            "{head} {a.post} to list banned addresses",
            "{head} {a.post} to steer a robot",
            "{head} {a.post} to run when nobody is logged in",
        ),
    },
)
