"""Configuration: composed, checked, and made into settings."""
