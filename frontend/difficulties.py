"""How hard generated programs are, by level, and which of them are kept for measuring; see `generate`."""

#: The levels, from programs for models of some hundred million parameters to those for the mid-end.
DIFFICULTY_LEVELS = (0, 1, 2, 3, 4, 5)
#: Levels that are drawn where none is asked for, in turn.
MIXED_LEVELS = (1, 2, 3, 4)
#: The first seed of the test set.
HELD_OUT = 1_000_000_000
