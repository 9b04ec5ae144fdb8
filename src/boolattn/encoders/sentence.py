"""The model a user holds: a sentence-transformers model whose queries are read with their *and*, *or* and *not*."""

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Self, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.checksums import write_checksums
from boolattn.encoders.labelled_query import labelled
from boolattn.encoders.learned_plan import understand
from boolattn.encoders.mechanism_plan import understand_by_mechanism
from boolattn.encoders.readout import SignedPooling
from boolattn.encoders.routes import routes_of
from boolattn.encoders.tower import BooleanTower
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.reading import Reading
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.understanding import plan_by_rules, written_out

# Of the training-free mode; chosen on generated validation queries by `boolattn bench training-free`.
STRENGTH, PENALTY = 4.0, 0.3


class DualEncoder(SentenceTransformer):
    """Queries through the Boolean tower, documents through the plain backbone, as an index already holds them.

    ``DualEncoder(folder)`` loads what ``save`` wrote; so does ``SentenceTransformer(folder, trust_remote_code=True)``,
    where boolattn is installed: sentence-transformers 6 asks for that word before it imports any module not its own.

    Example:
        >>> model = DualEncoder.training_free("all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
    """

    # Our own modules are imported already: nobody need trust a folder's word for which code to run.
    _module_classes: Mapping[str, type[nn.Module]] = {
        f"{module.__module__}.{module.__name__}": module for module in (BooleanTower, SignedPooling)
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Load a saved model; for a new one, see ``training_free`` and ``untrained``."""
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

        Rules find what a query excludes; *not* takes ``strength`` from the attention those words get, and the query's
        vector is moved away from them by ``penalty``. Models that do not pool by the mean get the first of the two. A
        model that is handed over, not named, is changed in place.
        """
        plain = _loaded(backbone)
        return cls._around(plain, BooleanTower("lexicon", strength), signed=_pools_by_mean(plain), penalty=penalty)

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
        plain = _loaded(backbone)
        tower = BooleanTower("mechanism", config=config or BoolAttnConfig())
        return cls._around(plain, tower, signed=signed, penalty=penalty, rank=rank)

    @classmethod
    def with_reader(
        cls,
        backbone: str | Path | SentenceTransformer,
        reader_layers: int = 3,
        strength: float = STRENGTH,
        penalty: float = PENALTY,
        rank: int = 16,
    ) -> Self:
        """Make what ``training_free`` makes, with a reader, to be trained, in the place of the rules.

        Args:
            backbone: The model; it is changed in place. It must pool by the mean.
            reader_layers: How many layers the reader has.
            strength: What *not* takes from attention scores.
            penalty: Where the learned weight of the subtraction starts.
            rank: Of the learned maps of what is wanted and unwanted; 0 for none.
        """
        tower = BooleanTower("learned", strength, reader_layers)
        return cls._around(_loaded(backbone), tower, signed=True, penalty=penalty, rank=rank)

    @classmethod
    def _around(
        cls, plain: SentenceTransformer, tower: BooleanTower, signed: bool, penalty: float, rank: int = 0
    ) -> Self:
        transformer, pooling, *_ = plain_modules(plain)
        readout = pooling
        if signed:
            if not _pools_by_mean(plain):
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
        return cls(modules=[router, *rest], **_settings(plain))

    @property
    def tower(self) -> BooleanTower:
        """The query tower."""
        return cast(BooleanTower, routes_of(self)["query"][0])

    @property
    def readout(self) -> Pooling:
        """How the query's tokens become one vector."""
        return cast(Pooling, routes_of(self)["query"][1])

    def documents(self) -> SentenceTransformer:
        """Return the document tower as the plain model it is; it shares its weights with this one."""
        return SentenceTransformer(
            modules=[*routes_of(self)["document"], *list(self.children())[1:]], **_settings(self)
        )

    def encode_query(  # type: ignore[override]
        self,
        inputs: str | Sequence[str],
        *args: Any,
        operators: Sequence[str | Collection[str]] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Encode queries; everything else is as in ``SentenceTransformer.encode_query``.

        Args:
            inputs: One query or several.
            *args: As in sentence-transformers.
            operators: For each query, the operators it holds, such as ``[["not"], []]``; None lets the model find out.
                In training-free mode only *not* matters, and rules find what it speaks of: ``["not"]`` lets them,
                ``[]`` stops them.
            **kwargs: As in sentence-transformers.
        """
        if operators is not None:
            inputs = labelled(inputs, operators)
        return super().encode_query(inputs, *args, **kwargs)

    def plan(self, query: str) -> BooleanPlan:
        """Return the query's positive and negative atoms and how they combine; by rules where no gate was learned."""
        if not self.tower.has_learned_gate:
            return plan_by_rules(query)
        if written := written_out(query):
            return written
        return self._understood(query).plan()

    def read(self, query: str) -> Reading:
        """Return the operators of a query, their cues and their scopes; by rules in training-free mode."""
        return read_by_rules(query) if self.tower.reading == "lexicon" else self._understood(query)

    @property
    def finds_operators(self) -> bool:
        """Whether it finds out by itself which operators a query holds; a mechanism without a gate has to be told."""
        return self.tower.reading == "lexicon" or self.tower.has_learned_gate

    def _understood(self, query: str) -> Reading:
        self.eval()
        by = understand if self.tower.reading == "learned" else understand_by_mechanism
        return by(self.tower, query, self.prompts.get("query") or "")

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
            reading=self.tower.reading,
            readout=type(self.readout).__name__,
            modules=str(self),
        )
        Path(path, "README.md").write_text(card, encoding="utf-8")


def plain_modules(plain: SentenceTransformer) -> list[Any]:
    """Return the modules of a model of which a Boolean one can be made."""
    modules = list(plain.children())
    if [isinstance(*pair) for pair in zip(modules, (Transformer, Pooling), strict=False)] != [True, True]:
        kinds = [type(module).__name__ for module in modules]
        raise ValueError(f"a Boolean model is made of one that begins with Transformer and Pooling, not {kinds}")
    return modules


def _loaded(backbone: str | Path | SentenceTransformer) -> SentenceTransformer:
    model = backbone if isinstance(backbone, SentenceTransformer) else SentenceTransformer(str(backbone))
    if isinstance(model, DualEncoder):
        raise ValueError("this is a Boolean model already")
    return model


def _settings(model: SentenceTransformer) -> dict[str, Any]:
    """Return what a model knows beside its modules."""
    names = ("device", "prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim")
    return {name: getattr(model, name) for name in names}


def _pools_by_mean(model: SentenceTransformer) -> bool:
    return any(isinstance(module, Pooling) and module.pooling_mode == "mean" for module in model.children())
