"""An endless stream of queries over a catalog, with gold operators, cues, scopes, answers and near misses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pyroaring import BitMap, FrozenBitMap

from boolattn.operators import NOT
from boolattn.reading.plan import Sign
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.atoms import Atom
from boolattn_lab.catalogs.catalog import Catalog
from boolattn_lab.catalogs.expressions import TEMPLATES, Expression, atoms_of, scopes_of, signed_atoms
from boolattn_lab.catalogs.sampler import Sampler
from boolattn_lab.catalogs.splits import Split, Splits
from boolattn_lab.catalogs.wordings.phrasebook import FRAMES
from boolattn_lab.catalogs.wordings.wording import Rendered, WordingsOf, choose_wording, wordings_of

SHARE_FRAMED = 0.4
SHARE_CAPITALISED = 0.3
GIVE_UP_AFTER = 50


@dataclass(frozen=True, slots=True)
class Mention:
    """An atom, its span in the text, and whether it is wanted (+1) or not (-1)."""

    atom: Atom
    span: Span
    sign: Sign


@dataclass(frozen=True, slots=True)
class GeneratedQuery:
    """A query with complete labels.

    Attributes:
        text: The query as typed.
        template: Its shape, a key of ``TEMPLATES``.
        expression: Its meaning.
        mentions: Its atoms, in the order of the expression.
        cues: For each operator, the words that express it; none if it is implicit ("1950s horror films").
        scopes: For each operator, the atoms it applies to: those joined, or those negated.
        answers: The entities it asks for.
        near_misses: The entities that a system ignoring "not" would wrongly return.
    """

    text: str
    template: str
    expression: Expression
    mentions: tuple[Mention, ...]
    cues: Mapping[str, tuple[Span, ...]]
    scopes: Mapping[str, tuple[Span, ...]]
    answers: FrozenBitMap
    near_misses: FrozenBitMap

    @property
    def operators(self) -> tuple[str, ...]:
        """Its operators, explicit or implicit."""
        return tuple(self.scopes)


def generate(
    catalog: Catalog,
    *,
    seed: int,
    split: Split | None = None,
    splits: Splits | None = None,
    templates: Sequence[str] = tuple(TEMPLATES),
    minimum: int = 3,
    maximum: int | None = None,
    wordings: WordingsOf = wordings_of,
) -> Iterator[GeneratedQuery]:
    """Yield queries endlessly; the same arguments always give the same queries.

    Args:
        catalog: The catalog to query.
        seed: Seed of the queries.
        split: Only queries of this split; None allows any.
        splits: How to split; ``Splits()`` by default.
        templates: Templates to use; a template that the catalog cannot fill is skipped.
        minimum: Minimum number of answers per query, and of answers that each of its atoms adds or removes.
        maximum: Maximum number of answers per query; None sets no limit.
        wordings: The wordings of each template; expressions that suit none of them are skipped.
    """
    unknown = [template for template in templates if template not in TEMPLATES]
    if unknown or not templates:
        raise ValueError(f"no such templates: {unknown}; choose from {list(TEMPLATES)}")
    rng = Random(f"{seed} {split}")
    sampler = Sampler(catalog, rng, split, splits or Splits(), minimum, maximum)
    return _stream(catalog, rng, sampler, templates, wordings)


def canonical_query(catalog: Catalog, template: str, expression: Expression) -> GeneratedQuery:
    """Word an expression of a template's shape in the plainest way: "comedy films that are not western films"."""
    wording = wordings_of(template)[0]
    rendered = wording.render(atoms_of(expression), catalog.heads[0], choose=lambda patterns: patterns[0])
    return _label(catalog, template, expression, catalog.answers(expression), rendered)


def _stream(
    catalog: Catalog, rng: Random, sampler: Sampler, templates: Sequence[str], wordings: WordingsOf
) -> Iterator[GeneratedQuery]:
    failures = 0
    while failures < GIVE_UP_AFTER:
        template = rng.choice(templates)
        drawn = sampler.sample(TEMPLATES[template])
        atoms = atoms_of(drawn[0]) if drawn else ()
        if drawn is None or not any(wording.suits(atoms) for wording in wordings(template)):
            failures += 1
            continue
        failures = 0
        expression, answers = drawn
        wording = choose_wording(rng, template, atoms, wordings=wordings)
        framed = wording.may_be_framed and rng.random() < SHARE_FRAMED
        frame = rng.choice(FRAMES) if framed else ("", "")
        rendered = wording.render(atoms, rng.choice(catalog.heads), rng.choice, frame)
        if rng.random() < SHARE_CAPITALISED:
            rendered = rendered.capitalised()
        yield _label(catalog, template, expression, answers, rendered)
    raise ValueError(
        f"found no expression with enough answers in which every atom matters for any of {list(templates)}: "
        "lower the minimum, raise the maximum, allow more templates or use a catalog with more overlap"
    )


def _label(
    catalog: Catalog, template: str, expression: Expression, answers: FrozenBitMap, rendered: Rendered
) -> GeneratedQuery:
    scopes = scopes_of(expression)
    return GeneratedQuery(
        text=rendered.text,
        template=template,
        expression=expression,
        mentions=tuple(
            Mention(atom, span, sign)
            for (atom, sign), span in zip(signed_atoms(expression), rendered.mentions, strict=True)
        ),
        cues={operator: rendered.cues.get(operator, ()) for operator in scopes},
        scopes={operator: tuple(rendered.mentions[slot] for slot in slots) for operator, slots in scopes.items()},
        answers=answers,
        near_misses=catalog.near_misses(expression) if NOT.name in scopes else FrozenBitMap(),
    )


def matching_negated(catalog: Catalog, query: GeneratedQuery) -> BitMap:
    """Return the entities that match a negated atom, without answers: "A or B but not C" may include a C that is A."""
    matching = [catalog.members[mention.atom] for mention in query.mentions if mention.sign < 0]
    return BitMap.union(BitMap(), *matching) - query.answers
