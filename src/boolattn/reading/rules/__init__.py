"""Reading by rules: a lexicon of cue phrases and what each applies to. Nothing is learned."""
