"""What is done about what a query excludes: a bias of attention, both sides encoded, or the paper's mechanism."""
