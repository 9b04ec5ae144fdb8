"""Settings of the service: defaults, a TOML file, the environment (``BOOLATTN_*``) and flags; the last one wins."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from boolattn.reading.choices import Documents, Strictness
from boolattn.retrieval.index.open_index import TOKEN_VARIABLE, masked, parse_address

if TYPE_CHECKING:
    from boolattn.reading.options import ReadingOptions  # imports what `boolattn --help` does without

PREFIX = "BOOLATTN_"
SETTINGS_VARIABLE = "BOOLATTN_SERVICE"
"""How worker processes get their settings, as JSON."""
SECRET = "***"


class SettingsError(ValueError):
    """A setting is unknown, has the wrong type, or does not fit the others."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """All settings; ``boolattn serve --help`` shows what each is for."""

    model: str = field(
        default="sentence-transformers/all-MiniLM-L6-v2", metadata={"help": "The model, as in boolattn search."}
    )
    backbone: str | None = field(default=None, metadata={"help": "An adapter's backbone: a folder or hub name."})
    index: tuple[str, ...] = field(
        default=(), metadata={"help": "An index to search, URI or NAME=URI; may be repeated."}
    )
    upstream: str | None = field(
        default=None, metadata={"help": "Embed through this server instead of a local model, without torch."}
    )
    upstream_kind: str = field(
        default="openai", metadata={"help": "The protocol of the upstream server: openai or tei."}
    )
    upstream_model: str = field(default="", metadata={"help": "The model to ask an OpenAI-style upstream server for."})
    upstream_key: str = field(default="", metadata={"help": "The key for the upstream server.", "secret": True})
    host: str = field(
        default="127.0.0.1", metadata={"help": "The address to listen on; without keys, only a loopback address."}
    )
    port: int = field(default=8080, metadata={"help": "The port to listen on; 0 picks a free port."})
    workers: int = field(default=1, metadata={"help": "How many processes serve requests, each with its own model."})
    keys: str | None = field(default=None, metadata={"help": "File with API keys; boolattn keys adds them."})
    runtime: str | None = field(
        default=None, metadata={"help": "Folder for what workers share; a temporary one by default."}
    )
    reader: str | None = field(
        default=None, metadata={"help": "The query reader: learned, rules, or the folder of a trained reader."}
    )
    documents: Documents | None = field(
        default=None, metadata={"help": "What the documents are, things or pages, unless a request says so."}
    )
    strictness: Strictness | None = field(
        default=None, metadata={"help": "How sure the learned reader must be, unless a request says so."}
    )
    act: bool = field(
        default=True, metadata={"help": "Act on exclusions, or only report what is read, unless a request says so."}
    )
    batch: int = field(default=32, metadata={"help": "The most texts to encode together; 1 switches batching off."})
    gather_ms: float = field(
        default=4.0, metadata={"help": "How long a batch waits for more texts while several clients are active."}
    )
    queue: int = field(
        default=2048, metadata={"help": "How many texts may wait for each worker; further ones get 429."}
    )
    max_wait: float = field(
        default=2.0, metadata={"help": "Seconds a request may have to wait for its turn; further ones get 429."}
    )
    timeout: float = field(default=30.0, metadata={"help": "Seconds a request may take."})
    engine_calls: int = field(
        default=8, metadata={"help": "How many searches and writes of an index each worker runs at the same time."}
    )
    drain: float = field(
        default=1.0, metadata={"help": "Seconds to keep serving after SIGTERM, so that clients move to other servers."}
    )
    max_body: int = field(default=8 * 1024 * 1024, metadata={"help": "The largest request body, in bytes."})
    max_batch: int = field(default=1024, metadata={"help": "The most texts or documents in one request."})
    max_text: int = field(default=65_536, metadata={"help": "The longest text or query, in characters."})
    max_k: int = field(default=1000, metadata={"help": "The most hits of one search."})

    def __post_init__(self) -> None:
        least = {"workers": 1, "batch": 1, "queue": 1, "engine_calls": 1, "max_batch": 1, "max_k": 1, "port": 0}
        for name, smallest in least.items():
            if getattr(self, name) < smallest:
                raise SettingsError(f"{name} is {getattr(self, name)}: use {smallest} or more")
        if min(self.timeout, self.max_wait) <= 0 or min(self.gather_ms, self.drain) < 0:
            raise SettingsError("timeout and max_wait must be more than 0; gather_ms and drain must not be negative")
        if self.max_batch > self.queue:
            raise SettingsError(
                f"max_batch is {self.max_batch}, but only {self.queue} texts can wait: raise queue, or lower max_batch"
            )
        if self.upstream and self.index:
            raise SettingsError(
                "upstream= embeds with another server's model, and an index needs its own model: use one of them"
            )
        if self.upstream_kind not in ("openai", "tei"):
            raise SettingsError(f"upstream_kind is {self.upstream_kind!r}: use openai or tei")
        if self.keys is None and not is_loopback(self.host):
            raise SettingsError(
                f"without API keys, everyone who reaches {self.host} could use the service: add keys with boolattn "
                "keys and pass --keys FILE, or listen on 127.0.0.1"
            )
        _ = self.indexes  # refuses bad addresses and names

    @property
    def indexes(self) -> dict[str, str]:
        """The address of each index by its name: as given, or the last part of the address."""
        found: dict[str, str] = {}
        for each in self.index:
            name, equals, uri = each.partition("=")
            if not equals or "://" in name:
                uri, name = each, parse_address(each).name
            parse_address(uri)
            if name in found or not name:
                raise SettingsError(f"{masked(uri)}: give each index a name of its own: --index NAME={masked(uri)}")
            found[name] = uri
        return found

    def reading(self, options: "ReadingOptions") -> "ReadingOptions":
        """Return reading options with what the settings change."""
        return options.changed(reader=self.reader, documents=self.documents, strictness=self.strictness, act=self.act)

    def shown(self) -> dict[str, Any]:
        """Return the settings for people, with secrets masked."""
        values: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            values[each.name] = SECRET if each.metadata.get("secret") and value else value
        values["index"] = [f"{name}={masked(uri)}" for name, uri in self.indexes.items()]
        if self.upstream:
            values["upstream"] = masked(self.upstream)
        if os.environ.get(TOKEN_VARIABLE):
            values[TOKEN_VARIABLE] = SECRET
        return values


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load_settings(
    flags: Mapping[str, Any], file: str | None = None, environment: Mapping[str, str] = os.environ
) -> ServiceSettings:
    """Return the settings: flags win over the environment, which wins over the file.

    Args:
        flags: Settings by name; None and an empty tuple mean that the flag is not given.
        file: A TOML file with settings by name.
        environment: Variables ``BOOLATTN_PORT`` and so on; several indexes are separated by commas.
    """
    known = {each.name for each in fields(ServiceSettings)}
    values: dict[str, Any] = {}
    if file is not None:
        try:
            values = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{file} is not valid TOML: {error}") from error
        if unknown := sorted(set(values) - known):
            raise SettingsError(
                f"{file} has unknown settings {', '.join(unknown)}; known are {', '.join(sorted(known))}"
            )
    values |= {name: environment[key] for name in known if (key := PREFIX + name.upper()) in environment}
    values |= {name: value for name, value in flags.items() if value not in (None, (), [])}
    if isinstance(values.get("index"), str):
        values["index"] = [each for each in values["index"].split(",") if each]
    try:
        return msgspec.convert(values, ServiceSettings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(str(error)) from error


def to_json(settings: ServiceSettings) -> str:
    """Return settings for a worker process."""
    return msgspec.json.encode(settings).decode()


def from_json(text: str) -> ServiceSettings:
    """Return what ``to_json`` wrote."""
    return msgspec.json.decode(text, type=ServiceSettings)


def with_runtime(settings: ServiceSettings, folder: str) -> ServiceSettings:
    """Return the settings with a runtime folder."""
    return replace(settings, runtime=folder)
