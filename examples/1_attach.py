"""Attach BoolAttn to a Hugging Face encoder, see what it does to a query, and detach it."""

import sys

import torch
from transformers import AutoModel, AutoTokenizer

from boolattn import attach, detach

name = sys.argv[1] if len(sys.argv) > 1 else "sentence-transformers/all-MiniLM-L6-v2"
tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
tokens = tokenizer("films that are not about war", return_tensors="pt")

with torch.inference_mode():
    bare = model(**tokens).last_hidden_state
    attach(model)  # the paper's mechanism, untrained
    closed = model(**tokens).last_hidden_state
    opened = model(**tokens, operators=[["not"]], trace=True)
    print("no operator given: the same to the bit?", torch.equal(bare, closed))
    print("operators=['not']: states moved by", round(float((opened.last_hidden_state - bare).abs().mean()), 4))
    trace = opened.boolattn
    print("layers traced:", len(trace.biases), "of shape (batch, tokens, heads, operators):", *trace.biases[0].shape)
    detach(model)
    print("taken out: the same to the bit?", torch.equal(bare, model(**tokens).last_hidden_state))
