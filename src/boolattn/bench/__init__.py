"""What everything costs: time, memory, growth, and the choice of settings."""
