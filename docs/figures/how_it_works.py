"""Draw docs/figures/how-it-works.png: what S_Boolean is, and what it does to the attention of a real encoder.

Run: python docs/figures/how_it_works.py --model FOLDER   (a BERT-like encoder, such as all-MiniLM-L6-v2)
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from transformers import AutoModel, AutoTokenizer

from boolattn import BoolAttnConfig, attach
from boolattn.attention import Overrides
from boolattn.backbones.attach.plugin import mechanism_of

QUERY = "comedies and musicals but not about war"
AND, NOT = ("comedies", "musicals"), ("about", "war")
STRENGTH = {"and": 2.0, "not": 4.0}
BEFORE, AFTER = "#9aa5b1", "#0b6e99"


def main() -> None:
    """Attach with known scopes, and draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    folder = parser.parse_args().model
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = attach(AutoModel.from_pretrained(folder, attn_implementation="eager").eval(), BoolAttnConfig())
    tokens = tokenizer(QUERY, return_tensors="pt")
    words = tokenizer.convert_ids_to_tokens(tokens["input_ids"][0])
    scopes = torch.zeros(1, len(words), 3)
    for operator, inside in ((0, AND), (2, NOT)):
        scopes[0, [index for index, word in enumerate(words) if word in inside], operator] = 1
    given = {"operators": [["and", "not"]], "scopes": scopes, "strength": STRENGTH}
    with torch.no_grad():
        before = torch.cat(model(**tokens, output_attentions=True).attentions)
        after = torch.cat(model(**tokens, output_attentions=True, **given).attentions)
        known = Overrides(torch.tensor([[1.0, 0, 1]]), scopes=scopes, strength=torch.tensor([2.0, 0, 4.0]))
        states, mask = torch.zeros(1, len(words), model.config.hidden_size), torch.ones(1, len(words))
        mechanism = mechanism_of(model)
        bias = mechanism.bias(0, states, mechanism.begin(states, mask, known)).matrix()[0, 0]
    draw(words, bias, before.mean((0, 1, 2)), after.mean((0, 1, 2)))


def draw(words: list[str], bias: torch.Tensor, before: torch.Tensor, after: torch.Tensor) -> None:
    """Left: the bias that is added to the scores. Right: how much attention each token receives."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), constrained_layout=True)
    places = range(len(words))
    image = left.imshow(bias, cmap="PuOr_r", vmin=-4, vmax=4)
    for i in places:
        for j in places:
            if bias[i, j] != 0:
                left.text(j, i, f"{bias[i, j]:+.0f}", ha="center", va="center", fontsize=9, color="white")
    left.set_xticks(places, words, rotation=45, ha="right")
    left.set_yticks(places, words)
    left.set_xlabel("token attended to")
    left.set_ylabel("token attending")
    left.set_title("S_Boolean: what is added to the scores", loc="left")
    figure.colorbar(image, ax=left, shrink=0.7)

    right.barh([place - 0.2 for place in places], before, height=0.38, color=BEFORE, label="bare encoder")
    right.barh([place + 0.2 for place in places], after, height=0.38, color=AFTER, label="with S_Boolean")
    right.set_yticks(places, words)
    right.invert_yaxis()
    right.set_xlabel("share of all attention received")
    right.set_title("What it does: 'and' draws, 'not' takes away", loc="left")
    right.legend(frameon=False)
    right.spines[["top", "right"]].set_visible(False)
    path = Path(__file__).with_name("how-it-works.png")
    figure.savefig(path, dpi=150)
    print(path)


if __name__ == "__main__":
    main()
