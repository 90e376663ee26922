#!/usr/bin/env python3
"""Prints the texts of the program: string literals of at least two words, adjacent ones joined, as FILE:LINE: TEXT.
Usage: tests/texts.py [FOLDER...], by default app and sim."""
import pathlib
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'|#include[^\n]*', re.S)


def texts(source):
    """Yields the line and content of each text; only blanks and comments may separate joined literals."""
    line, text, end = 0, None, 0
    for token in TOKEN.finditer(source):
        literal = token.group(2) if token.group(2) is not None else token.group(3)
        if literal is None:
            continue
        between = re.sub(r"//[^\n]*|/\*.*?\*/", "", source[end : token.start()], flags=re.S)
        if text is not None and not between.strip():
            text += literal
        else:
            if text is not None:
                yield line, text
            line, text = source.count("\n", 0, token.start()) + 1, literal
        end = token.end()
    if text is not None:
        yield line, text


root = pathlib.Path(__file__).resolve().parent.parent
for folder in sys.argv[1:] or ["app", "sim"]:
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in {".h", ".cpp", ".cu", ".inl"}:
            continue
        for line, text in texts(path.read_text(encoding="utf-8")):
            if re.search(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}", text) and " " in text:
                print(f"{path.relative_to(root)}:{line}: {text}")
