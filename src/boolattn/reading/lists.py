"""The lists of a text: the items around its *and* and *or*, and which words of the text are theirs."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from boolattn.reading.names import demands, is_adjective, is_fixed_pair, is_plural, is_quality
from boolattn.reading.spans import Span

JoinKind: TypeAlias = Literal["and", "or", "opener", "comma"]
TokenKind: TypeAlias = JoinKind | Literal["word"]

_BOUNDARIES_TEXT = """
    with like in on at by from for about of to using containing contains contain including includes include
    featuring starring having has have had near under over above below between around into within mentioning
    covering during against serving that which who where whose is are was were be as per via towards toward
    w/ uses
"""
BOUNDARIES = frozenset(_BOUNDARIES_TEXT.split())
_SAYING_NOTHING_TEXT = """
    a an the fine and or but any some also both either it its it's their they i i'm we you please just something
    anything set found based located directed written made filmed shot produced does do can could there
    these those ones one well too then maybe perhaps
"""
_SAYING_NOTHING = frozenset(_SAYING_NOTHING_TEXT.split())
EDGES = _SAYING_NOTHING | BOUNDARIES - {"under", "over", "above", "below", "near", "around"}
_PLAIN_AND = frozenset({"and", "&", "n", "'n'"})
_PLAIN: dict[str, TokenKind] = {"and": "and", "&": "and", "or": "or", ",": "comma", ";": "comma"}
QUOTED = r"\"[^\"]+\"|\u201c[^\u201d]+\u201d"
_TOKEN = re.compile(rf"{QUOTED}|[^\s,;()\"\u201c\u201d]+|[,;]")
_LONGEST_ITEM, _MOST_ITEMS = 5, 12


class Join(NamedTuple):
    """A cue between two parts of a text, one that opens a list ("either", "both"), or a comma in a list."""

    span: Span
    kind: JoinKind


class Token(NamedTuple):
    """A word, or a join."""

    span: Span
    text: str
    kind: TokenKind = "word"

    @property
    def key(self) -> str:
        """Return it in lower case."""
        return self.text.lower()

    @property
    def is_item(self) -> bool:
        """Whether it may be a word of an item."""
        return self.kind == "word" and self.key not in BOUNDARIES


class WordList(NamedTuple):
    """Items and the joins between them."""

    items: tuple[Span, ...]
    kinds: tuple[TokenKind, ...]

    @property
    def span(self) -> Span:
        """Return where it is in the text."""
        return Span(self.items[0].start, self.items[-1].end)


def tokens_of(query: str, within: Span, joins: Iterable[Join]) -> list[Token]:
    """Return the words and joins; beside a join that the reader marks, a plain "and" or "or" is one too."""
    found: list[Token] = []
    position = within.start
    for span, kind in (*joins, Join(Span(within.end, within.end), "and")):
        for match in _TOKEN.finditer(query, position, max(position, span.start)):
            text = match[0] if match[0] in ",;" else match[0].rstrip(".?!:")
            if text:
                place = Span(match.start(), match.start() + len(text))
                found.append(Token(place, text, _PLAIN.get(text.lower(), "word")))
        if span.start < span.end:
            found.append(Token(span, span.of(query), kind))
        position = span.end
    return found


def lists_in(tokens: Sequence[Token]) -> tuple[list[WordList], list[Span]]:
    """Return the lists, in order, and the joins that only cut the text between lists."""
    lists: list[WordList] = []
    cuts: list[Span] = []
    free = place = 0  # tokens before ``free`` belong to an earlier list
    while place < len(tokens):
        if tokens[place].kind in ("and", "or") and place >= free:
            found, end = _list_at(tokens, place, free)
            if found is None:
                cuts.append(tokens[place].span)
            else:
                lists.append(found)
                free = end
        elif tokens[place].kind == "opener":
            cuts.append(tokens[place].span)
        place = max(place + 1, free)
    return lists, cuts


def _list_at(tokens: Sequence[Token], place: int, free: int) -> tuple[WordList | None, int]:
    """Return the list with a join, and the number of the token after it; None if one side says nothing."""
    chunks, is_bound = _chunks_before(tokens, place, free)
    kinds: list[TokenKind] = [tokens[place].kind]
    kinds[:0] = ["comma" for _ in chunks[1:]]
    position = place + 1
    while True:
        start, end = _chunk_after(tokens, position)
        if start == end:
            break
        chunks.append((start, end))
        position = end
        after = end
        while after < len(tokens) and tokens[after].kind == "comma":
            after += 1
        if len(chunks) > _MOST_ITEMS or after == len(tokens) or tokens[after].kind not in ("and", "or"):
            break
        kinds.append(tokens[after].kind)
        position = after + 1
    if not chunks[0][0] < chunks[0][1] or len(chunks) < 2:
        return None, place + 1
    kinds = kinds[: len(chunks) - 1]
    end = chunks[-1][1]
    first, last = tokens[slice(*chunks[0])], tokens[slice(*chunks[-1])]
    before, after = _own_words(first, last, is_bound)
    chunks[0] = (chunks[0][1] - before, chunks[0][1])
    chunks[-1] = (chunks[-1][0], chunks[-1][0] + after)
    items = tuple(Span(tokens[start].span.start, tokens[stop - 1].span.end) for start, stop in chunks)
    for number in range(len(kinds) - 2, -1, -1):
        kinds[number] = kinds[number + 1] if kinds[number] == "comma" else kinds[number]
    return WordList(items, tuple(kinds)), end


def _chunks_before(tokens: Sequence[Token], place: int, free: int) -> tuple[list[tuple[int, int]], bool]:
    """Return the items before a join, as token numbers, and whether a preposition or an opener precedes them."""
    end = place
    while end > free and tokens[end - 1].kind == "comma":  # "Alaska, or Ohio"
        end -= 1
    chunks: list[tuple[int, int]] = []
    while len(chunks) < _MOST_ITEMS:
        start = end
        while start > free and tokens[start - 1].is_item:
            start -= 1
        chunks.insert(0, (start, end))
        if start <= free or tokens[start - 1].kind != "comma" or start == end:
            break
        end = start - 1
    opener = chunks[0][0] - 1
    # "Either chocolate or vanilla cake" shares the cake; "casserole, either pecans or cream cheese", what precedes.
    is_bound = opener >= free and (tokens[opener].kind == "word" or (opener > free and tokens[opener].kind == "opener"))
    several_words = chunks[0][1] - chunks[0][0] > 1
    if (len(chunks) == 2 and not is_bound and several_words) or any(e - s > _LONGEST_ITEM for s, e in chunks[1:-1]):
        return chunks[-1:], True  # "accountant jobs, remote or hybrid"
    if len(chunks) > 1 and chunks[0][0] == chunks[0][1]:
        return chunks[1:], True
    return chunks, is_bound


def _chunk_after(tokens: Sequence[Token], position: int) -> tuple[int, int]:
    """Return the item after a join, without the words before it that say nothing."""
    start = position
    while start < len(tokens) and (
        tokens[start].kind == "opener" or (tokens[start].kind == "word" and tokens[start].key in EDGES)
    ):
        start += 1
    end = start
    while end < len(tokens) and (tokens[end].is_item or (end == start and tokens[end].kind == "word")):
        end += 1
    return start, end


def _own_words(first: Sequence[Token], last: Sequence[Token], is_bound: bool) -> tuple[int, int]:
    """Return how many words at the end of the first item, and at the start of the last, are their own."""
    n, m = len(first), len(last)
    before, after = first[-1].key, last[0].key
    both_qualify = is_adjective(before) and is_adjective(after)
    if is_bound:
        return n, 1 if both_qualify and m > 1 and not is_adjective(last[1].key) else m
    capitals = _capitals(reversed(first)), _capitals(last)
    if all(capitals) and (capitals[0] < n or capitals[1] < m):
        return capitals
    if before.isdigit() and after.isdigit():
        return 1, 1
    if m == 1:
        qualities = next((number for number, each in enumerate(first) if not is_quality(each.key)), n)
        return (1 if both_qualify else n - qualities or n), 1
    if both_qualify:
        return 1, 1
    alike = is_plural(before) == is_plural(last[-1].key)
    if alike and (n > 1 or (is_plural(before) and not is_plural(after))):
        return n, m
    return 1, 1


def _capitals(tokens: Iterable[Token]) -> int:
    """Return with how many capitalised words a text begins."""
    number = 0
    for each in tokens:
        if not each.text[:1].isupper():
            break
        number += 1
    return number


def name_in(tokens: Sequence[Token]) -> int | None:
    """Return the number of the first join that sets no condition, by the rules of ``boolattn.reading.names``."""
    for place, each in enumerate(tokens):
        if each.kind not in ("and", "or") or not 0 < place < len(tokens) - 1:
            continue
        before, after = tokens[place - 1], next((t for t in tokens[place + 1 :] if t.key not in ("a", "the")), each)
        if before.kind != "word" or after.kind != "word":
            continue
        if is_fixed_pair(before.key, after.key):
            return place
        if each.kind == "and" and each.key in _PLAIN_AND and not _is_condition(tokens, place):
            return place
    return None


def _is_condition(tokens: Sequence[Token], place: int) -> bool:
    """Whether a plain *and* demands both of its sides."""
    chunks, is_bound = _chunks_before(tokens, place, 0)
    last = _chunk_after(tokens, place + 1)
    if len(chunks) > 1 or (last[1] < len(tokens) and tokens[last[1]].kind in ("and", "or")):
        return True
    start, end = chunks[0]
    before = tokens[start - 1] if start else None
    if before is not None and before.kind in ("and", "or", "opener"):
        return True
    if before is not None and is_bound and demands(before.key, tokens[start - 2].key if start > 1 else ""):
        return True
    return (
        not is_bound
        and start < end
        and last[0] < last[1]
        and is_quality(tokens[end - 1].key)
        and is_quality(tokens[last[0]].key)
    )
