"""What the mechanism did to a query, shown in the terminal, as a web page, or as a plot."""
