"""Host code as values: what launchers do, statement by statement."""
