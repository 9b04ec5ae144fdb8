"""From readings to tensors, and the reading of the mechanism itself."""
