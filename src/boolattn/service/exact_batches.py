"""Encode texts together so that every vector is, bit for bit, the one that the text gets alone. Needs torch.

In a padded batch, two things change the last digits of a vector: matrix products of few rows use other kernels than
those of many, and attention adds its terms in another order if there is padding. So, within a batch,

- each product is computed over the real rows only, with as many texts at once as use the same kernel as each alone;
- attention is computed without padding, for all texts of the same length at once.

Which numbers of rows share a kernel depends on the machine, and is measured on it. A model for which all this does not
give the same digits, which is checked when it is loaded, encodes its texts one by one.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from boolattn.service.jobs import Vector

_MANY = 512  # rows of a product that certainly is a large one
_FEW = 64  # rows below which a product may use a kernel of its own
_WORDS = ("cat", "dog", "sun", "sea", "red")


class Unpadded(TorchFunctionMode):
    """Computes a padded batch (B, L, d) as if each of its texts were alone; only in this thread."""

    def __init__(self) -> None:
        """Begin; ``note`` says later how long the texts are."""
        super().__init__()
        self._lengths: list[int] = []
        self._shape = (0, 0)
        self._same: dict[int, Tensor] = {}
        self._rows: dict[Any, list[Tensor]] = {}

    def note(self, mask: Tensor) -> None:
        """Take the attention mask (B, L) of the batch that comes next."""
        self._lengths, self._shape = mask.sum(1).tolist(), (mask.shape[0], mask.shape[1])
        places: dict[int, list[int]] = defaultdict(list)
        for place, length in enumerate(self._lengths):
            places[length].append(place)
        self._same, self._rows = {length: torch.tensor(each) for length, each in places.items()}, {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is functional.linear and self._is_batch(args[0]):
            return self._linear(*args, **kwargs)
        if func is functional.scaled_dot_product_attention and self._shape[0] > 1:
            return self._attention(*args, **kwargs)
        return func(*args, **kwargs)

    def _is_batch(self, given: Any) -> bool:
        return given.dim() == 3 and given.shape[:2] == self._shape and self._shape[0] > 1

    def _linear(self, given: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        flat = given.reshape(-1, given.shape[-1])
        found = given.new_zeros(len(flat), len(weight))
        for rows in self._products(weight):
            found[rows] = functional.linear(flat[rows], weight, bias)
        return found.view(*given.shape[:2], -1)

    def _products(self, weight: Tensor) -> list[Tensor]:
        """Return the rows to multiply together: of texts that use the same kernel, alone and together."""
        key = (tuple(weight.shape), weight.dtype)
        if key not in self._rows:
            kernels = _kernels(*key, torch.get_num_threads())
            products: list[list[int]] = []
            latest: dict[bytes, list[int]] = {}
            for place, length in enumerate(self._lengths):
                kernel = kernels(length)
                texts = latest.get(kernel)
                if texts is None or kernels(sum(self._lengths[each] for each in texts) + length) != kernel:
                    texts = latest[kernel] = []
                    products.append(texts)
                texts.append(place)
            longest = self._shape[1]
            self._rows[key] = [
                torch.cat([torch.arange(self._lengths[place]) + place * longest for place in texts])
                for texts in products
            ]
        return self._rows[key]

    def _attention(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, *args: Any, **kwargs: Any
    ) -> Tensor:
        found = torch.zeros_like(query)  # (B, H, L, d)
        for length, places in self._same.items():
            some = [each[places, :, :length] for each in (query, key, value)]
            attend: Any = functional.scaled_dot_product_attention
            found[places, :, :length] = attend(*some, None, *args, **kwargs)
        return found


@cache
def _kernels(shape: tuple[int, int], dtype: torch.dtype, threads: int) -> Callable[[int], bytes]:
    """Return a function from the number of rows of a product to the digits that its kernel gives for the same row."""
    made = torch.Generator().manual_seed(0)
    weight = torch.randn(shape, generator=made).to(dtype)
    rows = torch.randn(_MANY, shape[1], generator=made).to(dtype)

    def digits(count: int) -> bytes:
        found = functional.linear(rows[:count], weight)
        return bytes(found[0].view(torch.uint8).numpy().tobytes())

    few, many = [digits(count) for count in range(1, _FEW)], digits(_MANY)
    return lambda count: few[count - 1] if count < _FEW else many


class ExactBatches:
    """Encodes texts with a plain model: together where that changes no digit, else one by one."""

    def __init__(self, model: SentenceTransformer) -> None:
        """Check on this machine whether texts can be encoded together."""
        self._model = model
        self._mode: ContextVar[Unpadded | None] = ContextVar("mode", default=None)
        model.register_forward_pre_hook(self._note)
        self.exact = True
        try:
            self.exact = self._is_exact()
        except (RuntimeError, TypeError, IndexError, ValueError):  # a model of another build
            self.exact = False

    def encode(self, texts: list[str], role: str, how: dict[str, Any]) -> Vector:
        """Return the vectors (N, D) of texts.

        Args:
            texts: All as queries, or all as documents.
            role: ``"query"`` or ``"document"``.
            how: Arguments of ``SentenceTransformer.encode``.
        """
        embed = self._model.encode_query if role == "query" else self._model.encode_document
        settings = {"show_progress_bar": False, **how}
        if len(texts) == 1 or not self.exact:
            return np.stack([np.asarray(embed(text, **settings), np.float32) for text in texts])
        with Unpadded() as mode:
            token = self._mode.set(mode)
            try:
                return np.asarray(embed(texts, batch_size=len(texts), **settings), np.float32)
            finally:
                self._mode.reset(token)

    def _note(self, module: Any, args: Sequence[Any]) -> None:
        mode, mask = self._mode.get(), args[0].get("attention_mask")
        if mode is not None and mask is not None:  # a static embedding has neither padding nor attention
            mode.note(mask)

    def _is_exact(self) -> bool:
        lengths = (1, 1, 2, 3, 5, 8, 11, 13, 14, 15, 16, 20, 40, 40)
        texts = [" ".join(_WORDS[(place + at) % 5] for at in range(count)) for place, count in enumerate(lengths)]
        together = self.encode(texts, "query", {})
        alone = [self.encode([text], "query", {})[0] for text in texts]
        return bool(np.array_equal(together, alone))
