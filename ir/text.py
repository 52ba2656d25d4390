"""How a program's text is cut into lines: as Python's parser cuts it, and nowhere else by another rule.

`str.splitlines` also ends lines at form feeds and at Unicode's separators. Whoever looks lines up by a number that the
parser gave, and cuts the text that way, reads other lines than those that were parsed.
"""

import io
import re
import tokenize

#: What `str.splitlines` takes for the end of a line and Python's parser does not.
BREAKS = frozenset("\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PAGE_BREAK = re.compile(r"^[ \t\f]*\f", re.MULTILINE)
_BLANKED = str.maketrans(dict.fromkeys(BREAKS, " "))


def text_lines(text: str, *, keep_ends: bool = False) -> list[str]:
    """The lines that syntax trees count. `keep_ends`: each with what ends it; else a last end is followed by ""."""
    return _WITH_END.findall(text) if keep_ends else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def one_reading(text: str) -> tuple[str, tuple[int, int] | None]:
    """The text with no character left that some cut lines at: those between statements and in comments are blanked.

    Besides, the place (line and column) of the first that stands in code, as in a string, or None: it is left there.
    """
    if BREAKS.isdisjoint(text):
        return text, None
    lines = text_lines(text)
    for number, first, last in _code(lines):
        for column in range(first, last):
            if lines[number - 1][column] in BREAKS:
                return text, (number, column)
    # Python's tokenizer forgets the indentation that stands before a form feed.
    return _PAGE_BREAK.sub("", "\n".join(lines)).translate(_BLANKED), None


def _code(lines: list[str]) -> list[tuple[int, int, int]]:
    """Line, first column and end of every part of the text that is a token other than a comment.

    A text that has no tokens is all code; parsing it says what is wrong.
    """
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines), newline="\n").readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                continue
            for number in range(token.start[0], min(token.end[0], len(lines)) + 1):
                first = token.start[1] if number == token.start[0] else 0
                last = token.end[1] if number == token.end[0] else len(lines[number - 1])
                found.append((number, first, last))
    except (tokenize.TokenError, SyntaxError):
        return [(number, 0, len(line)) for number, line in enumerate(lines, 1)]
    return found
