"""The dialect: what a program's text may say, and the checkers that hold it to that."""
