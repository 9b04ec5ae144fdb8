"""Section 2.1: which tokens are Boolean cues."""

from torch import Tensor, nn

from boolattn.attention.config import BoolAttnConfig


class CuePredictor(nn.Module):
    """One cue score per token and operator, from the first layer's input.

    As printed (``cue_conditioning="additive"``)::

        o' = W_o o + b_o        p_c = sigma(W_c (H + o') + b_c)

    Departs from the paper: by default the operator multiplies the states, p_c = sigma(W_c (H * o') + b_c). As
    printed, W_c (H + o') = W_c H + W_c o': the operator shifts the score of every token by the same constant,
    so all operators find their cues at the same tokens.
    """

    def __init__(self, config: BoolAttnConfig, hidden_size: int) -> None:
        """Build W_o, b_o, W_c and b_c."""
        super().__init__()
        self.project = nn.Linear(config.operator_dim, hidden_size)
        self.score = nn.Linear(hidden_size, 1)
        self.additive = config.cue_conditioning == "additive"

    def forward(self, operators: Tensor) -> tuple[Tensor, Tensor]:
        """Return weight (K, d) and bias (K,) of the cue logits: either form is one linear map of H per operator."""
        projected = self.project(operators)  # (K, d)
        if self.additive:
            return self.score.weight.expand_as(projected), self.score(projected).squeeze(-1)
        return self.score.weight * projected, self.score.bias.expand(len(operators))
