"""The model a user holds: a sentence-transformers model that acts on what a query excludes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, NamedTuple, Self, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.encodings.bias import STRENGTH, BiasEncoding, TwoSidedEncoding
from boolattn.encoders.encodings.encoding import Encoding
from boolattn.encoders.encodings.mechanism import MechanismEncoding
from boolattn.encoders.query_tower import BooleanTower
from boolattn.encoders.readers.labelled_query import LabelledQuery, labelled
from boolattn.encoders.readers.mechanism import MechanismReader
from boolattn.encoders.routes import routes_of
from boolattn.encoders.storage.checksums import write_checksums
from boolattn.encoders.storage.plain_models import loaded, plain_modules, pools_by_mean, settings_of
from boolattn.encoders.vectors.signed_pooling import SignedPooling
from boolattn.operators import NOT
from boolattn.reading.caller import labelled_reading
from boolattn.reading.options import Exclude, ReadingOptions
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.readers import FirstOf, ReaderOrName
from boolattn.reading.reading import Documents, Reading, Source, Strictness
from boolattn.reading.syntax import SyntaxReader

PENALTY = 0.3
"""Chosen on generated validation queries by `boolattn dev bench training-free`."""


class Understood(NamedTuple):
    """What a model makes of one query."""

    reading: Reading  # all that is understood
    applied: Reading  # what is acted on
    asked: str  # what the query tower is handed
    source: Source  # who decides on operators, cues and scopes


class DualEncoder(SentenceTransformer):
    """Queries through the Boolean tower, documents through the plain backbone, as an index already holds them.

    ``DualEncoder(folder)`` loads what ``save`` wrote; so does ``SentenceTransformer(folder, trust_remote_code=True)``,
    where boolattn is installed: sentence-transformers 6 asks for that word before it imports any module not its own.

    ``model.options`` says how queries are read and which exclusions are acted on; ``encode_query``, ``read`` and
    ``plan`` take the same options for one call.

    Example:
        >>> model = DualEncoder.training_free("all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
        >>> model.options = ReadingOptions(reader="rules", documents="things")  # doctest: +SKIP
    """

    # Our own modules are imported already: nobody need trust a folder's word for which code to run.
    _module_classes: Mapping[str, type[nn.Module]] = {
        f"{module.__module__}.{module.__name__}": module for module in (BooleanTower, SignedPooling)
    } | {  # in folders saved before 0.2
        "boolattn.encoders.tower.BooleanTower": BooleanTower,
        "boolattn.encoders.readout.SignedPooling": SignedPooling,
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Load a saved model; for a new one, see ``training_free``, ``two_sided`` and ``untrained``."""
        if not args and not kwargs:
            raise ValueError(
                "DualEncoder takes the folder of a saved Boolean model; see also DualEncoder.training_free"
            )
        super().__init__(*args, **kwargs)
        if not any(isinstance(module, BooleanTower) for module in routes_of(self).get("query", ())):
            name = args[0] if args else kwargs.get("model_name_or_path")
            raise ValueError(
                f"{name} is a plain embedding model: DualEncoder.training_free({name!r}) makes it a Boolean one"
            )

    @classmethod
    def training_free(
        cls, backbone: str | Path | SentenceTransformer, strength: float = STRENGTH, penalty: float = PENALTY
    ) -> Self:
        """Make a Boolean model of a sentence-transformers model, with nothing to train and no index to change.

        *not* takes ``strength`` from the attention that the words of an exclusion get, and the query's vector is moved
        away from them by ``penalty``. Models that do not pool by the mean get the first of the two. A model that is
        handed over, not named, is changed in place.
        """
        plain = loaded(backbone)
        return cls.with_encoding(plain, BiasEncoding(strength), signed=pools_by_mean(plain), penalty=penalty)

    @classmethod
    def two_sided(
        cls,
        backbone: str | Path | SentenceTransformer,
        strength: float = STRENGTH,
        penalty: float = PENALTY,
        rank: int = 16,
    ) -> Self:
        """Make what ``training_free`` makes, but encode what is excluded on its own, and let the readout learn.

        Args:
            backbone: The model; it is changed in place. It must pool by the mean.
            strength: What *not* takes from attention scores.
            penalty: Where the learned weight of the subtraction starts.
            rank: Of the learned maps of what is wanted and unwanted; 0 for none.
        """
        return cls.with_encoding(backbone, TwoSidedEncoding(strength), penalty=penalty, rank=rank)

    @classmethod
    def untrained(
        cls,
        backbone: str | Path | SentenceTransformer,
        config: BoolAttnConfig | None = None,
        signed: bool = True,
        penalty: float = PENALTY,
        rank: int = 0,
    ) -> Self:
        """Put a new mechanism, to be trained, into a sentence-transformers model.

        Args:
            backbone: The model; it is changed in place.
            config: The mechanism's settings; the paper's by default.
            signed: Whether the query's vector subtracts what is excluded; without, the model is the paper's.
            penalty: Where the learned weight of that subtraction starts.
            rank: Of the learned maps of what is wanted and unwanted; 0 for none.
        """
        return cls.with_encoding(backbone, MechanismEncoding(config), signed=signed, penalty=penalty, rank=rank)

    @classmethod
    def with_encoding(
        cls,
        backbone: str | Path | SentenceTransformer,
        encoding: Encoding,
        *,
        reader: ReaderOrName | None = None,
        signed: bool = True,
        penalty: float = PENALTY,
        rank: int = 0,
    ) -> Self:
        """Make a Boolean model of a backbone, any encoding and any reader.

        Args:
            backbone: The model; it is changed in place.
            encoding: What is done about what a query excludes.
            reader: Who reads queries; None is the default reader. Ignored by a mechanism with a learned gate.
            signed: Whether the query's vector subtracts what is excluded; the backbone must then pool by the mean.
            penalty: Where the learned weight of that subtraction starts.
            rank: Of the learned maps of what is wanted and unwanted; 0 for none.

        Example:
            >>> DualEncoder.with_encoding(folder, TwoSidedEncoding(), reader="rules")  # doctest: +SKIP
        """
        plain, tower = loaded(backbone), BooleanTower(encoding, reader)
        if isinstance(plain, DualEncoder):
            raise ValueError("this is a Boolean model already")
        transformer, pooling, *_ = plain_modules(plain)
        readout = pooling
        if signed or encoding.needs_signed_pooling:
            if not pools_by_mean(plain):
                raise ValueError(
                    f"the signed readout needs mean pooling, not {pooling.pooling_mode!r}; without it there are "
                    f"DualEncoder.training_free(backbone) and DualEncoder.untrained(backbone, signed=False)"
                )
            readout = SignedPooling(**pooling.get_config_dict(), penalty=penalty, rank=rank)
            readout.to(device=plain.device, dtype=next(transformer.parameters()).dtype)
        return cls.joining(plain, tower, readout)

    @classmethod
    def joining(cls, plain: SentenceTransformer, tower: BooleanTower, readout: Pooling) -> Self:
        """Put a query route before a plain model, which is changed in place."""
        transformer, pooling, *rest = plain_modules(plain)
        router = Router.for_query_document([tower, readout], [transformer, pooling])
        return cls(modules=[router, *rest], **settings_of(plain))

    @property
    def tower(self) -> BooleanTower:
        """The query tower."""
        return cast(BooleanTower, routes_of(self)["query"][0])

    @property
    def readout(self) -> Pooling:
        """How the query's tokens become one vector."""
        return cast(Pooling, routes_of(self)["query"][1])

    @property
    def options(self) -> ReadingOptions:
        """How queries are read; a mechanism with a learned gate is its own reader."""
        if not self.tower.has_learned_gate:
            return self.tower.options
        self.eval()
        mechanism = MechanismReader(self.tower, self.prompts.get("query") or "")
        return replace(self.tower.options, reader=FirstOf(SyntaxReader(), mechanism))

    @options.setter
    def options(self, options: ReadingOptions) -> None:
        self.tower.options = replace(options, reader=None) if self.tower.has_learned_gate else options

    @property
    def finds_operators(self) -> bool:
        """Whether it finds out by itself what a query holds; a mechanism without a gate has to be told."""
        return self.tower.has_learned_gate or not self.tower.encoding.reads

    def document_encoder(self) -> SentenceTransformer:
        """Return the document tower as the plain model it is; it shares its weights with this one."""
        return SentenceTransformer(
            modules=[*routes_of(self)["document"], *list(self.children())[1:]], **settings_of(self)
        )

    def encode_query(  # type: ignore[override]
        self,
        inputs: str | Sequence[str],
        *args: Any,
        operators: Sequence[str | Collection[str]] | None = None,
        exclude: Exclude | None = None,
        reader: ReaderOrName | None = None,
        documents: Documents | None = None,
        strictness: Strictness | None = None,
        syntax: bool | None = None,
        act: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """Encode queries; everything else is as in ``SentenceTransformer.encode_query``.

        Args:
            inputs: One query or several.
            *args: As in sentence-transformers.
            operators: For each query, the operators it holds, such as ``[["not"], []]``: the given gates of a
                mechanism. For other models ``["not"]`` lets the reader read, and ``[]`` stops it.
            exclude: For each query, the words that it excludes, such as ``[["war"], []]``; None lets the reader find
                out. Of a single query, ``["war"]`` will do, and ``[]`` excludes nothing from any.
            reader: These and the following options: see ``ReadingOptions``; None is as in ``model.options``.
            documents: What the index holds, ``"things"`` or ``"pages"``.
            strictness: How sure the learned reader must be.
            syntax: Whether queries are written in the explicit syntax.
            act: Whether exclusions are acted on.
            **kwargs: As in sentence-transformers.
        """
        changes = {"reader": reader, "documents": documents, "strictness": strictness, "syntax": syntax, "act": act}
        _require_one(operators, exclude)
        if operators is not None:
            inputs = labelled(inputs, operators)
        elif exclude is not None or any(value is not None for value in changes.values()):
            queries = [inputs] if isinstance(inputs, str) else list(inputs)
            options = self.options.changed(**changes)
            readings = options.read(queries, exclude, only_exclusions=True)
            read = self.carrying([options.applied(each) for each in readings])
            inputs = read[0] if isinstance(inputs, str) else read
        return super().encode_query(inputs, *args, **kwargs)

    def encode_readings(self, readings: Sequence[Reading], **kwargs: Any) -> Any:
        """Encode queries that have been read; all exclusions of a reading are acted on.

        Args:
            readings: From a reader, reduced to what is acted on by ``ReadingOptions.applied``.
            **kwargs: As in ``SentenceTransformer.encode_query``.
        """
        return super().encode_query(self.carrying(readings), **kwargs)

    def carrying(self, readings: Sequence[Reading]) -> list[LabelledQuery]:
        """Return queries that carry what was read of them through batching."""
        named = [each for each in readings if each.is_named_by_caller]
        if named and self.tower.encoding.reads:
            raise ValueError(
                f"exclude= names {named[0].exclusions[0].span.of(named[0].query)!r}, but the mechanism of this model "
                "finds what *not* applies to by itself: give operators=[['not']] instead"
            )
        return [LabelledQuery.of(each.query, each.operators, each) for each in readings]

    def understand(
        self,
        query: str,
        operators: str | Collection[str] | None = None,
        exclude: Sequence[str] | None = None,
        **changes: Any,
    ) -> Understood:
        """Return what ``encode_query`` would act on if it was given the same query and arguments, and why.

        Args:
            query: The text.
            operators: The operators it holds; None lets the model find out.
            exclude: The words that it excludes; None lets the reader find out.
            **changes: Options of reading; None is as in ``model.options``.
        """
        _require_one(operators, exclude)
        options, encoding = self.options.changed(**changes), self.tower.encoding
        label = None if operators is None else LabelledQuery.of(query, operators)
        if label is not None and NOT.name not in label.operators:
            reading = labelled_reading(query, label.operators, {}, {})
        else:
            reading = options.read([query], exclude)[0]
        applied = options.applied(reading)
        (asked,) = self.carrying([applied])
        if label is not None:
            asked = LabelledQuery.of(query, label.operators, applied)
        nothing_said = label is None and exclude is None and all(value is None for value in changes.values())
        text = query if nothing_said and encoding.reads else asked
        return Understood(reading, applied, text, encoding.source(text, reading))

    def read(self, query: str, exclude: Sequence[str] | None = None) -> Reading:
        """Return all that is understood of a query, also what is not acted on.

        Args:
            query: The text.
            exclude: The words that it excludes; None lets the reader find out.
        """
        if not self.finds_operators:
            MechanismReader(self.tower)  # says why it cannot
        return self.options.read([query], exclude)[0]

    def plan(self, query: str, exclude: Sequence[str] | None = None) -> BooleanPlan:
        """Return what is acted on: the query's wanted and unwanted atoms, and how they combine."""
        return self.options.applied(self.options.read([query], exclude)[0]).plan()

    def save(
        self,
        path: str,
        model_name: str | None = None,
        create_model_card: bool = True,
        train_datasets: list[str] | None = None,
        safe_serialization: bool = True,
    ) -> None:
        """Save as sentence-transformers does, always as safetensors, with a checksum of every weight file."""
        super().save(path, model_name, create_model_card, train_datasets, safe_serialization=True)
        write_checksums(Path(path))

    def _create_model_card(self, path: str, *args: Any, **kwargs: Any) -> None:
        template = Template(files("boolattn.encoders").joinpath("model_card.md").read_text(encoding="utf-8"))
        card = template.substitute(
            dimensions=self.get_embedding_dimension(),
            encoding=self.tower.encoding.name,
            readout=type(self.readout).__name__,
            modules=str(self),
        )
        Path(path, "README.md").write_text(card, encoding="utf-8")


def _require_one(operators: Any, exclude: Any) -> None:
    if operators is not None and exclude is not None:
        raise ValueError("operators= and exclude= both say what the queries exclude: give one of them")
