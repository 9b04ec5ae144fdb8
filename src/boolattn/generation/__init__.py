"""What a query means, apart from any model."""
