"""The scope of each cue, by rules: the words after a *not*, the two sides of an *and* or an *or*."""

import re
from collections.abc import Iterator

from boolattn.reading.spans import Span, SpanIndex

# Words between a cue and what it excludes: "not [set in] Rome", "without [any mention of] Moses". A capital makes
# them part of a name: "excluding On Liberty".
_LIGHT_WORD = (
    r"any|also|be|being|been|really|even|just|all|ones?|those|to|do|does|have|has|having|with|for|of|in|on|at|from|by"
    r"|about|into|during|regarding|concerning|relat(?:ed|ing)\s+to|relevant\s+to|pertaining\s+to|tak(?:e|ing)\s+place"
    r"|(?:mention|includ|involv|contain|featur|consider|discuss|referenc|cover|address|describ|focus|talk|refer|touch)"
    r"(?:e|es|ed|s|ing|ring|ion|ions)?|interested|looking|want(?:ing)?|need|care|know|tell|me"
    r"|(?:information|details?|data|references?|discussions?|mentions?|anything|something|talk)"
    r"(?=\s+(?:about|on|of|to|from|regarding|concerning|relat|relevant|pertain))"
    r"|(?:set|shot|filmed|based|found|located|made|produced|published|written|directed|described|native|endemic)"
    r"(?=\s+(?:in|on|at|by|to|during|from)\b)"
)
_LIGHT_WORDS = re.compile(rf"(?:\s*\b(?:{_LIGHT_WORD})\b(?=\s))*\s*")
_ONE_WORD = re.compile(r"[-\s]*(?P<word>\w[\w'-]*)")

_QUESTION = r"what|which|who|whom|whose|how|where|when|why|whether|is|are|was|were|do|does|did|has|have|can|could|would"
_REQUEST = r"please|tell|give|list|name|show|find|provide|explain|describe|compare|discuss|i|you|we|also|other|then"
_ITEM = (
    rf"(?!(?:{_QUESTION}|{_REQUEST}|but|not)\b)[^\s,;.?!()]+"
    rf"(?:\s+(?!(?:{_QUESTION}|and|or|nor|that)\b)[^\s,;.?!()]+){{0,4}}"
)
_LIST_GOES_ON = re.compile(rf"(?:,\s*{_ITEM})+,?\s+(?:and|or|nor)\s+{_ITEM}", re.IGNORECASE)
_PLACE_GOES_ON = re.compile(r",\s*[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*){0,2}\s?(?=[,.?!)]|$)")
_DIGITS_GO_ON = re.compile(r",\d")

_CLAUSE_END = re.compile(
    rf"""
    (?P<comma>,)
    | (?P<opening>\() | (?P<closing>\))
    | [;?!](?=\s|$|["')])
    | \s-+\s | (?<=,")\s
    | (?<!\b[a-z])(?<!\b(?:mr|ms|dr|st|jr|sr|vs|no))(?<!\bmrs)\.(?=\s|$|["')])
    | \b(?:but|although|though|while|whereas|because|since|yet|however|unless|as\s+well\s+as|did|does)\b
    | \bin\s+terms\s+of\b
    | \b(?:and\s+)?(?:that|which|who)\s+(?:is|are|was|were)\s+also\b
    | (?P<relative>\b(?:that|which|who)\s+(?:is|are|was|were|has|have|had|takes?|do|does|did)\b)
    | \b(?:and|or)\s+(?:{_QUESTION}|{_REQUEST})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DEFINITE = re.compile(r"(?:the|those|his|her|its|their|any)\b", re.IGNORECASE)
_LOOSE_END = re.compile(
    r"(?:(?:\b(?:that|which|who|and|but)|,)(?:\s+(?:is|are|was|were|do|does))?|\b(?:is|are|was|were|do|does))$",
    re.IGNORECASE,
)
_EDGES = " \t\n,;:.?!-"
# A list is followed this many characters: enough for any, and a bound on the work where every comma may begin one.
_LONGEST_LIST = 300
_NO_SPANS = SpanIndex()


def scope_after(text: str, cue: Span, limit: int, names: SpanIndex = _NO_SPANS) -> Span:
    """Return the scope of a *not* cue: from after the cue and the light words behind it to the end of its clause.

    Args:
        text: The whole query.
        cue: The cue's span.
        limit: Where the scope must end: the next cue's start, or the text's end.
        names: Spans of names: a comma or period inside one does not end a clause.
    """
    if text[cue.start : cue.end].lower() == "non":
        word = _ONE_WORD.match(text, cue.end)
        return Span(*word.span("word")) if word else Span(cue.end, cue.end)
    light = _LIGHT_WORDS.match(text, cue.end, limit)
    start = light.end() if light else cue.end
    going_on = start
    for end in _clause_ends(text, Span(start, limit), names):
        if end.start() >= going_on and not (going_on := _goes_on(text, end, start)):
            return _trimmed(text, Span(start, end.start()))
    return _trimmed(text, Span(start, limit))


def sides_of(text: str, cue: Span, borders: SpanIndex, names: SpanIndex = _NO_SPANS) -> list[Span]:
    """Return the pieces that an *and* or *or* cue joins: one or, in a list, several before it, and one after it.

    Args:
        text: The whole query.
        cue: The cue's span.
        borders: Other cues and exclusions, which end a side.
        names: Spans of names: a comma or period inside one does not end a clause.
    """
    start, limit = borders.last_end(cue.start), borders.next_start(cue.end)
    limit = len(text) if limit is None else limit
    before = Span(start, start + len(strip_dangling_clause(text[start : cue.start])))
    sides: list[Span] = []
    for end in _clause_ends(text, before, names):
        if end.lastgroup == "comma":
            sides.append(Span(start, end.start()))
        else:
            sides.clear()
        start = end.end()
    sides.append(Span(start, before.end))
    first_end = next(_clause_ends(text, Span(cue.end, limit), names), None)
    sides.append(Span(cue.end, first_end.start() if first_end else limit))
    return [side for side in (_trimmed(text, side) for side in sides) if side.start < side.end]


def strip_dangling_clause(text: str) -> str:
    """Cut off what remains of a clause without its cue: "films [that are]", "films[, but]"."""
    return _LOOSE_END.sub("", text.rstrip())


def _clause_ends(text: str, within: Span, names: SpanIndex) -> Iterator[re.Match[str]]:
    """Find where a clause may end, except inside names and inside parentheses that open within it."""
    depth = 0
    for match in _CLAUSE_END.finditer(text, within.start, within.end):
        if names.overlaps(Span(*match.span())):
            continue
        if match.lastgroup == "opening":
            depth += 1
        elif match.lastgroup == "closing" and depth:
            depth -= 1
        elif not depth:
            yield match


def _goes_on(text: str, end: re.Match[str], scope_start: int) -> int:
    """Return where a scope that continues beyond this end really ends, or 0 if it ends here."""
    if end.lastgroup == "comma":
        for pattern in (_DIGITS_GO_ON, _LIST_GOES_ON, _PLACE_GOES_ON):
            if going_on := pattern.match(text, end.start(), end.start() + _LONGEST_LIST):
                return going_on.end()
    opens_the_scope = end.start() == scope_start and end[0][0].isalpha()
    if opens_the_scope or (end.lastgroup == "relative" and _DEFINITE.match(text, scope_start)):
        return end.end()
    return 0


def _trimmed(text: str, span: Span) -> Span:
    kept = span.of(text).strip(_EDGES)
    start = text.index(kept, span.start)
    return Span(start, start + len(kept))
