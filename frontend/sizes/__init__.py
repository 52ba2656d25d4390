"""The sizes in a program's text: found, made small, and made larger again."""
