"""May this query exclude or combine anything? Words decide in microseconds, so that most queries are never read.

``may_exclude`` guards every query vector, ``may_combine`` a search, which also acts on *and* and *or*.

The list of ``may_exclude`` is broad on purpose: a query that it stops is never read, while a query that it lets
through only costs a reading. ``boolattn-lab bench queries`` measures the share of real queries that it lets through;
docs/reader.md also gives the number of labelled exclusions that it stops.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from boolattn.reading.coordination import coordinated
from boolattn.reading.limits import LONGEST_QUERY
from boolattn.reading.names import is_about_words
from boolattn.reading.plan import QueryAtom
from boolattn.reading.reading import Reader, Reading
from boolattn.reading.spans import Span

_ALONE = """
    no not non none nor neither never nothing nothin nuthin nobody nowhere nope nah nun cannot aint dont doesnt didnt
    isnt arent wasnt werent wont wouldnt shouldnt couldnt cant hasnt havent dnt arnt isent dosnt
    without widout withoot w/o w/out wo sans minus less lacking
    except excepted excepting exception exceptions excl excluding exclude excludes excluded exclusion exclusions
    exclusive exc sept exempt exempting ex andnot
    besides beside apart aside bar barring save other others otherwise else elsewhere unless but
    rather instead insted opposed unlike versus outside beyond unrelated irrespective regardless addition
    skip skips skipping avoid avoids avoiding ignore ignores ignoring omit omits omitting omitted drop dropp dropping
    hide hides hiding remove removing leave leaving leaves discard discarding disregard disregarding discount
    discounting filter filtering strip weed ditch dump scrap scratch axe nix mute cut lose hold dodge shun shunning
    forget forgetting spare steer steering refrain boycott boycotting bin begone purge eliminate
    hate hates hated dislike dislikes disliked loathe despise detest allergic allergy allergies intolerant intolerance
    refuse refuses refusing reject rejected rejects veto vetoed vetoes ban bans banned forbids forbidden disqualified
    opposes objects against uninterested unwanted unwelcome useless irrelevant worthless dealbreaker dealbreakers
    rubbish terrified loathes struck disregarded covered itch vile gag gags meh nightmare bore bores bannned
    lack lacks lacked unable incapable absent declined past sooner deleted stupid hell ugh
    pass skipped strike missing asside exclooding withowt failed differ differs independent overlooking
    enough sick tired bored fed done already plenty off out away clear zero miss berth
    alternative alternatives alternativ anything anyone anywhere nixed excused
"""
# Words too common to let a query through on their own.
_TOGETHER = r"""
    \b(?: so\ over | over\ it | over\ and\ above | have\ had | had\ (?:my|our|his|her|its|their)\ (?:fill|share)
        | free\ (?:of|from) | -free | short\ of | far\ from | in\ (?:place\ of|lieu|preference) | shut\ up
        | dead\ to\ me | any\ more | one\ more
        | gave\ up | given\ up | give\ up | to\ one\ side | yet\ to | keep\ getting | all\ taken | taken\ by | to\ death
        | by\ heart | a\ rest | am\ having | can\ (?:go|recite) | wrong\ (?:one|ones|thing) | with\ ?out | w\ ?out
        | different\ (?:\w+\ )?(?:from|than|to|one|ones|place|source) | (?:stop|quit)\ \w+ing
        | (?:i|we|already)\ (?:know|own|have|did)(?!\b.{1,80}\bcan\ (?:i|we)\b) | makes?\ (?:me|him|her|us|them)
        | prefer\b.{1,60}\b(?:over|to) )\b
    | [a-z]\ free\ [a-z]
    | [a-z]\ over\ (?!(?:the|time|and|toilet|sink|stove|range|bed|door|window|ear|head|shoulder|desk|counter)s?\b|\d)
    | [a-z]n['\u2019`\u00b4]t\b
    | (?:^|[\s(,;:"])[-\u2013\u2014\u2212!~\u00ac][\w"'(]
    | != | <> | \u2260
"""
# Often misspelt, but still exclusions: "exept", "wihtout", "exluding".
_OFTEN_MISSPELT = (
    "without",
    "except",
    "excluding",
    "exclude",
    "besides",
    "instead",
    "rather",
    "nothing",
    "apart",
    "doesn't",
    "isn't",
)


def _misspellings(word: str) -> set[str]:
    """Return the word's misspellings with one letter missing, doubled or swapped with the next."""
    cuts = [(word[:place], word[place:]) for place in range(1, len(word))]
    missing = {left + right[1:] for left, right in cuts}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    doubled = {left + right[0] + right for left, right in cuts}
    changed = {left + letter + right[1:] for left, right in cuts for letter in "aeioustcr"}
    return missing | swapped | doubled | changed


_WORDS = frozenset(_ALONE.split()).union(*map(_misspellings, _OFTEN_MISSPELT))
_WORD = re.compile(r"[a-z/]+(?:['\u2019][a-z]+)?")
_PHRASES = re.compile(_TOGETHER, re.VERBOSE)


def may_exclude(query: str) -> bool:
    """Return whether a query contains any word or mark that an exclusion needs."""
    query = query.lower()
    return not _WORDS.isdisjoint(_WORD.findall(query)) or _PHRASES.search(query) is not None


_JOINS = re.compile(r"\b(?:and|or|as well as|along with|together with|combined with)\b|\s&\s", re.IGNORECASE)
_PLAIN_JOINS = re.compile(r"\b(?:and|or)\b|\s&\s", re.IGNORECASE)


def may_combine(query: str) -> bool:
    """Return whether a query may set conditions by *and* or *or*: it joins words, is no question, and no mere name."""
    query = query[:LONGEST_QUERY]
    if not _JOINS.search(query) or is_about_words(query):
        return False
    return not _PLAIN_JOINS.search(query) or not isinstance(
        coordinated(query, Span(0, len(query)), ()), QueryAtom | None
    )


Screen: TypeAlias = Literal["exclusions", "conditions"]
"""What must be possible for a query to be read: an exclusion, or any condition, by *and*, *or* or *not*."""

SCREENS: Mapping[Screen, Callable[[str], bool]] = {
    "exclusions": may_exclude,
    "conditions": lambda query: may_exclude(query) or may_combine(query),
}


class Screened:
    """A reader that only reads queries that pass a screen; others get a reading without operators."""

    def __init__(self, reader: Reader, screen: Screen = "exclusions") -> None:
        """Screen the queries of a reader."""
        self.reader, self._passes = reader, SCREENS[screen]

    @property
    def name(self) -> str:
        """The reader's own name and version."""
        return self.reader.name

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries; one that the screen stops has no operators."""
        passed = [place for place, query in enumerate(queries) if self._passes(query)]
        readings = [Reading.plain(query, "learned", self.name) for query in queries]
        if passed:
            for place, reading in zip(passed, self.reader.read([queries[place] for place in passed]), strict=True):
                readings[place] = reading
        return readings
