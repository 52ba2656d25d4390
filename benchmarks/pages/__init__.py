"""What README and the documentation quote and show."""
