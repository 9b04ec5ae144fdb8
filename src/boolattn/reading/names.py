"""Which *and* demands both of its sides, and which texts set no conditions at all: the rules, in one place.

Most people who type *and* name something, or would be glad of either: "chicken and rice", "ohio fairs and festivals",
"department of management and budget". A missing half must not sink such a hit, so a plain *and* sets a condition only

1. after a word of having or being about: "soup with carrots and celery", "dogs that are small and calm";
2. after "both", or written as "as well as", "along with" and the like;
3. in a list of three or more, or with *or*: "with salmon or trout and asparagus", "cats, dogs and fish";
4. between two adjectives: "waterproof and windproof jacket".

Even there, fixed pairs (``_PAIRS``) are names: "potatoes with salt and pepper", "trick or treat".

*Or* always offers alternatives, since a hit needs only one of them. But neither sets conditions in a question or a text
that names a relation: "what is the difference between X and Y", "which is newer, X or Y?", "how to cook and freeze
beans". A request in the form of a question is none: "can you recommend", "which laptops have".
"""

import re

_PAIRS_TEXT = """
    all nothing, antigua barbuda, arts crafts, b b, back forth, bacon egg, bacon eggs, barnes noble, bath beyond,
    bed breakfast, biscuits gravy, black decker, black white, bosnia herzegovina, butter jelly, cause effect, causes
    effects, copy paste, crate barrel, cut paste, dead alive, deal no deal, do die, double nothing, drag drop, drum
    bass, father son, fight flight, first last, fish chips, food drink, food drug, gin tonic, hair makeup, half
    half, ham cheese, heads tails, health safety, hot cold, in out, johnson johnson, law order, left right, life
    death, mac cheese, macaroni cheese, make break, mix match, mom dad, more less, mother daughter, mr mrs, now
    never, nut bolt, nuts bolts, oil vinegar, on off, peace quiet, plug play, plus minus, point click, pride
    prejudice, profit loss, pros cons, q a, question answer, questions answers, r b, r d, research development,
    rhythm blues, rise fall, rock roll, salt pepper, search rescue, sooner later, supply demand, surf turf, sweet
    sour, terms conditions, track field, trial error, trick treat, trinidad tobago, true false, truth dare, up down,
    war peace, wear tear, yes no
"""
_PAIRS = frozenset(pair.strip() for pair in _PAIRS_TEXT.split(","))
_QUALITIES_TEXT = """
    cheap used new good best nice small medium large big mini quick easy simple healthy vegan vegetarian spicy
    remote scary funny sad romantic quiet calm old modern vintage lightweight heavy portable wireless cordless
    foldable soft firm short long tall wide narrow warm cold hot dry wet light dark bright fresh frozen raw sweet
    sour free local hybrid primary secondary junior senior male female left right hard round oval square
"""
_QUALITIES = frozenset(_QUALITIES_TEXT.split())
_MATERIALS_TEXT = """
    red blue green black white grey gray brown pink purple yellow orange navy beige olive teal silver gold golden
    bronze brass copper leather suede oak walnut pine wooden metal glass plastic cotton linen wool cashmere silk
    velvet floral striped plain french italian german spanish english british american japanese korean chinese
    indian thai vietnamese mexican greek turkish russian irish dutch swedish danish
"""
_MATERIALS = frozenset(_MATERIALS_TEXT.split())
_ADJECTIVE_END = re.compile(r"\w{2,}(?:proof|less|ful|able|ible|ous|ish|esque|tight|resistant|friendly|free)")
_SINGULAR_END = re.compile(r"(?:ss|us|is|as|os)$")

_DEMANDING_TEXT = """
    with w/ uses containing contains contain including includes include featuring starring having has have using about
    mentioning covering
"""
_DEMANDING = frozenset(_DEMANDING_TEXT.split())
_RELATION = re.compile(
    r"\b(?:differences?|different|differ|compare[sd]?|comparing|comparisons?|versus|vs|relationships?|relation|relate[sd]?"
    r"|correlation|between|better|worse|cheaper|stronger|whether|distinguish|similarit(?:y|ies)|similar|alike|in common"
    r"|interact|interactions?|convert|conversion|meaning|define|definition|synonyms?|rhymes?|lyrics|came first)\b"
)
_REQUEST = re.compile(
    r"(?:can|could|would|will)\s+(?:you|u|someone|anyone|anybody)\b|(?:is|are)\s+there\b"
    r"|do\s+you\s+(?:have|know|sell|stock)\b|where\s+can\s+i\s+(?:find|get|buy|watch|see|book|rent)\b"
    r"|(?:what|which)\s+are\s+(?:some|good|the\s+best)\b|what(?:'s| is)\s+a\s+good\b|who\s+sells\b"
    r"|(?:any|looking|recommend|suggest|please|i|we|hi|hello)\b"
)
_THINGS_ASKED = re.compile(
    r"(?:what|which)\s+(?!of\b)(?:(?:\w+\s+){0,2}?)(?P<things>\w+)\s+(?:are|have|with|that|contain|come|from)\b"
)
_QUESTION = re.compile(
    r"(?:who|whom|whose|when|where|why|how|what|which|is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have"
    r"|had|am|if|explain|describe|whats|hows)\b"
    r"|(?:(?:best|easiest|fastest|right|proper)\s+)?ways?\s+(?:to|of)\b|(?:good|best|bad)\s+practices?\b"
    r"|(?:safe|ok|okay|possible|worth|legal|trying|unable|impossible)\s+to\b"
)
# A choice, "which is newer, X or Y?"; a statement, "The complex contains X and Y."; and a question at the end of one.
_CHOICE = re.compile(r"(?:what|which|who)\b.*,[^,]*\bor\b[^,]*\?$")
_STATEMENT = re.compile(r"(?:\S+\s+){9,}\S+\.$|(?:\S+\s+){30}")
_QUESTION_INSIDE = re.compile(
    r".+\b(?:what|how|why|whom|(?:in|by|of|for|to|at|on|from|with|and)\s+which|which\s+(?:will|would|should|one|do|does))\b|.+\?"
)


def is_about_words(text: str) -> bool:
    """Whether a text is a question, or is about a relation: its *and* and *or* set no conditions."""
    text = text.lower().replace("\u2019", "'").strip()
    if _RELATION.search(text) or _CHOICE.match(text):
        return True
    if _REQUEST.match(text) or ((asked := _THINGS_ASKED.match(text)) and is_plural(asked["things"])):
        return False
    return any(pattern.match(text) for pattern in (_QUESTION, _QUESTION_INSIDE, _STATEMENT))


def demands(word: str, before: str) -> bool:
    """Whether both of two things after a word are demanded: "with", "about"; of "are", "that are", not "what are"."""
    return word in _DEMANDING or (word in ("is", "are") and before in ("that", "which", "who"))


def is_fixed_pair(before: str, after: str) -> bool:
    """Whether two words make a fixed pair."""
    return f"{before} {after}".lower() in _PAIRS


def is_quality(word: str) -> bool:
    """Whether a word in lower case is an adjective that may qualify any thing: "cheap", "waterproof"."""
    return word in _QUALITIES or _ADJECTIVE_END.fullmatch(word) is not None


def is_adjective(word: str) -> bool:
    """Whether a word in lower case usually qualifies another: an adjective, a colour, a material or a number."""
    return is_quality(word) or word in _MATERIALS or word.isdigit()


def is_plural(word: str) -> bool:
    """Whether a word in lower case looks like a plural."""
    return len(word) > 3 and word.endswith("s") and not _SINGULAR_END.search(word)
