"""DualEncoder: a sentence-transformers model that acts on what a query excludes."""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Self, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.attention import BoolAttnConfig
from boolattn.backbones.call_options import Call, carrying
from boolattn.backbones.encodings.bias import STRENGTH, BiasEncoding, TwoSidedEncoding
from boolattn.backbones.encodings.encoding import Encoding
from boolattn.backbones.encodings.mechanism import MechanismEncoding
from boolattn.backbones.mechanism_reader import MechanismReader
from boolattn.backbones.query_tower import BooleanTower
from boolattn.backbones.signed_pooling import PENALTY, SignedPooling, new_readout
from boolattn.backbones.storage.checksums import verify_settings, write_checksums
from boolattn.backbones.storage.plain_models import (
    QUERY_ENCODER,
    loaded,
    plain_modules,
    pools_by_mean,
    routes_of,
    settings_of,
)
from boolattn.backbones.storage.sound_weights import require_finite
from boolattn.query_vectors.query_encoder import AttentionEncoder, QueryEncoder
from boolattn.reading.caller import ExcludedWords
from boolattn.reading.options import Exclude, ReadingOptions
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.readers import FirstOf, ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness
from boolattn.reading.syntax import SyntaxReader


class DualEncoder(SentenceTransformer):
    """Encodes queries with the Boolean tower and documents with the plain backbone, so existing indexes stay valid.

    ``DualEncoder(folder)`` loads what ``save`` wrote, and runs no code from the folder. ``SentenceTransformer(folder)``
    refuses it: sentence-transformers loads only its own modules, unless ``trust_remote_code=True``, which runs whatever
    code the folder contains.

    ``model.options`` says how queries are read and which exclusions are acted on; ``encode_query`` takes the same
    options for one call.

    Examples:
        >>> model = DualEncoder.training_free("all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
        >>> model.options = ReadingOptions(reader="rules", documents="things")  # doctest: +SKIP
    """

    # Our modules are already imported, so no code named in a folder has to be trusted.
    _module_classes: Mapping[str, type[nn.Module]] = {
        f"{module.__module__}.{module.__name__}": module for module in (BooleanTower, SignedPooling)
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Load a saved model; to make a new one, see ``training_free``, ``two_sided`` and ``untrained``."""
        if not args and not kwargs:
            raise ValueError("pass the folder of a saved Boolean model; see also DualEncoder.training_free")
        saved = args[0] if args else kwargs.get("model_name_or_path")
        if saved:
            where = {name: kwargs.get(name) for name in ("token", "cache_folder", "revision")}
            verify_settings(str(saved), **where, local_files_only=kwargs.get("local_files_only", False))
        super().__init__(*args, **kwargs)
        if saved:
            require_finite(self.state_dict(), str(saved))
        if not any(isinstance(module, BooleanTower) for module in routes_of(self).get("query", ())):
            raise ValueError(
                f"{saved} is a plain embedding model: DualEncoder.training_free({saved!r}) makes it Boolean, if it "
                "starts with Transformer and Pooling"
            )

    @classmethod
    def training_free(
        cls, backbone: str | Path | SentenceTransformer, strength: float = STRENGTH, penalty: float = PENALTY
    ) -> Self:
        """Make a sentence-transformers model Boolean, with no training and no re-indexing.

        *not* subtracts ``strength`` from attention to the words of an exclusion, and the query's vector is moved
        away from them by ``penalty``. Models without mean pooling get only the bias. A model passed as an object
        instead of a name is changed in place.
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
        """Like ``training_free``, but encode exclusions separately, with a trainable readout.

        The backbone must pool by the mean; for ``penalty`` and ``rank``, see ``with_encoding``.
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
        """Add an untrained mechanism to a sentence-transformers model; the paper's by default.

        With ``signed=False`` the model is the paper's; for the other arguments, see ``with_encoding``.
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
        separate: bool = False,
    ) -> Self:
        """Make a Boolean model from a backbone, any encoding and any reader.

        Args:
            backbone: The model; it is changed in place.
            encoding: How to act on exclusions.
            reader: The reader of queries; None uses the default. Ignored by a mechanism with a learned gate.
            signed: Whether to subtract exclusions from the query's vector; this requires mean pooling.
            penalty: Initial value of the learned weight of that subtraction.
            rank: Rank of the learned maps applied to the wanted and unwanted vectors; 0 for no maps.
            separate: Whether queries get a separate encoder, initialised as a copy of the document encoder.

        Examples:
            >>> DualEncoder.with_encoding(folder, TwoSidedEncoding(), reader="rules")  # doctest: +SKIP
        """
        plain = loaded(backbone)
        if isinstance(plain, DualEncoder):
            raise ValueError("this model is already Boolean")
        readout = new_readout(plain, signed or encoding.needs_signed_pooling, penalty, rank)
        return cls.joining(plain, BooleanTower(encoding, reader), readout, separate)

    @classmethod
    def joining(cls, plain: SentenceTransformer, tower: BooleanTower, readout: Pooling, separate: bool = False) -> Self:
        """Add a query route to a plain model, in place."""
        transformer, pooling, *rest = plain_modules(plain)
        routes = {"query": [tower, readout], "document": [transformer, pooling]}
        if separate:
            routes[QUERY_ENCODER] = [deepcopy(transformer)]
        return cls(modules=[Router(routes, default_route="document"), *rest], **settings_of(plain))

    @property
    def tower(self) -> BooleanTower:
        """The query tower."""
        return cast(BooleanTower, routes_of(self)["query"][0])

    @property
    def readout(self) -> Pooling:
        """How the query's tokens are pooled into one vector."""
        return cast(Pooling, routes_of(self)["query"][1])

    @property
    def options(self) -> ReadingOptions:
        """How queries are read; a mechanism with a learned gate reads them itself."""
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
        """Whether it finds a query's operators itself; a mechanism without a gate requires them from the caller."""
        return self.tower.has_learned_gate or not self.tower.encoding.reads

    def document_encoder(self) -> SentenceTransformer:
        """Return the document tower as a plain model; it shares its weights with this one."""
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
        """Encode queries, like ``SentenceTransformer.encode_query``.

        Args:
            inputs: One query or several.
            *args: As in sentence-transformers.
            operators: For each query, the operators it contains, such as ``[["not"], []]``: the given gates of a
                mechanism. For other models, ``["not"]`` lets the reader read and ``[]`` stops it.
            exclude: For each query, the words to exclude, in the query or not, such as ``[["war"], []]`` or, with
                weights, ``[{"war": 2}, []]``; None lets the reader find them. For a single query, ``["war"]`` is
                enough; ``[]`` means that no query excludes anything.
            reader: For this and the following options, see ``ReadingOptions``. None uses ``model.options``.
            documents: What the index contains, ``"things"`` or ``"pages"``.
            strictness: How sure the learned reader must be.
            syntax: Whether queries use the explicit syntax.
            act: Whether to act on exclusions and, with a mechanism, on *and* and *or*; False returns the plain model's
                vector.
            **kwargs: As in sentence-transformers.
        """
        changes = {"reader": reader, "documents": documents, "strictness": strictness, "syntax": syntax, "act": act}
        call = Call.of(self.tower.encoding, self.options, changes)
        if operators is not None or exclude is not None or not call.by_default:
            asked = call.asked([inputs] if isinstance(inputs, str) else list(inputs), operators, exclude)
            inputs = asked[0] if isinstance(inputs, str) else asked
        return super().encode_query(inputs, *args, **kwargs)

    def query_encoder(self, documents: Documents = "pages", **kwargs: Any) -> QueryEncoder:
        """Return the encoder of readings, with the given arguments of ``encode_query``."""
        return AttentionEncoder(partial(self.encode_readings, **kwargs))

    def encode_readings(self, readings: Sequence[Reading], **kwargs: Any) -> Any:
        """Encode readings that ``ReadingOptions.applied`` has reduced to what is acted on."""
        return super().encode_query(carrying(self.tower.encoding, readings), **kwargs)

    def read(self, query: str, exclude: ExcludedWords | None = None) -> Reading:
        """Return the whole reading of a query, and why the rest is not acted on; ``exclude`` as in ``encode_query``."""
        if not self.finds_operators:
            MechanismReader(self.tower)  # raises an error that states the reason
        return self.options.decided(self.options.read([query], exclude)[0])

    def plan(self, query: str, exclude: ExcludedWords | None = None) -> BooleanPlan:
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
        """Save like sentence-transformers, always as safetensors, with a checksum for every weight file."""
        super().save(path, model_name, create_model_card, train_datasets, safe_serialization=True)
        write_checksums(Path(path))

    def _create_model_card(self, path: str, *args: Any, **kwargs: Any) -> None:
        template = files("boolattn.backbones").joinpath("model_card.md").read_text(encoding="utf-8")
        card = Template(template).substitute(
            dimensions=self.get_embedding_dimension(),
            encoding=self.tower.encoding.name,
            readout=type(self.readout).__name__,
            modules=str(self),
        )
        Path(path, "README.md").write_text(card, encoding="utf-8")


def as_boolean(model: Any) -> DualEncoder | None:
    """Return the model if it is Boolean; None if it is plain."""
    return model if isinstance(model, DualEncoder) else None
