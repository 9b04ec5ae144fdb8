"""What the mechanism did to a query, to look at: in the terminal, as a page, as a picture."""
