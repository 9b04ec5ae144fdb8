"""Whether an exclusion is a topic or a property, by rules of thumb."""

import re

from boolattn.reading.reading import Kind
from boolattn.reading.rules.lexicon import CONTRACTIONS, phrase_key
from boolattn.reading.spans import Span
from boolattn.reading.typography import plain_marks

_NEAR = 300
_DENIALS = ("not", "not also", "never", "cannot", "can't", "but not", "and not", "but never", *CONTRACTIONS)
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|be|been|being|also)"
# What makes a denial a fact about the thing asked for: "films that are [not]", "which birds do [not]".
_FACT_BEFORE = re.compile(
    rf"\b(?:that|which|who|whose|where)(?:\s+{_VERB})*$|(?:,|\b(?:and|but))\s+{_VERB}$"
    rf"|(?:^|[.?!,]\s*)(?:which|what|list|find|show|name)\s+(?:[^\s,.?!]+\s+){{1,9}}{_VERB}$",
    re.IGNORECASE,
)
_FACT_AFTER = re.compile(
    r"\s+(?:yet\s+|also\s+)?(?:found|set|born|made|written|shot|known|native|endemic|\w{2,}(?:ed|able|ible))"
    r"(?:\s+(?:in|on|at|by|to|for|from|as)\b|\s*$)",
    re.IGNORECASE,
)
# "films that are not about war", "books that don't mention love": what the answer should not be about.
_TOPIC_AFTER = re.compile(
    r"\s+(?:(?:be|is|are|have|has|do|all|just|only|really|also|to)\s+)*(?:about\b|on\b|concern|regard|pertain|relat|relevant"
    r"|mention|includ|contain|involv|featur|discuss|cover|describ|refer|focus|talk|touch|address|deal|dwell|cent(?:er|re)"
    r"|revolv|want|interested)",
    re.IGNORECASE,
)


def kind_of(text: str, cue: Span) -> Kind:
    """Tell the kind of what a cue excludes: a fact denied of the thing asked for is a property, all else a topic."""
    text = plain_marks(text)
    before, after = text[max(0, cue.start - _NEAR) : cue.start].rstrip(), text[cue.end : cue.end + _NEAR]
    if phrase_key(cue.of(text)) not in _DENIALS or _TOPIC_AFTER.match(after):
        return "topic"
    return "property" if _FACT_BEFORE.search(before) or _FACT_AFTER.match(after) else "topic"
