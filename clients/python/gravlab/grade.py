"""The page of a folder of graded kernels, and which of their texts are alike.

    gravlab grade homework --csv marks.csv
    python3 -m gravlab.grade marks.csv homework -o marks.html

Texts are compared without comments, spaces and names: runs of 24 words and signs that two of them share count, except
those of the texts that everyone was given. This finds copies; who copied from whom it cannot say.
"""

import argparse
import csv
import html
import os
import re
import stat
import sys
from pathlib import Path

RUN = 24
LEAST = 3 * RUN  # fewer runs of its own say nothing about who wrote a text
# Copies with all names changed have a likeness of 1, and each changed statement takes about 0.1 from a short kernel.
# Independent kernels of one method stay below 0.3.
COPIED, UNCHANGED = 0.6, 0.95
MOST_BYTES = 1 << 20

_TOKEN = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\.?\d[\w.]*|\S", re.S)
_KEYWORDS = set("""if else for while do switch case break continue return const constexpr static extern inline template typename struct
using auto void bool char short int long float double unsigned signed float2 float3 float4 double2 double3 double4 int2 int3 int4
__global__ __device__ __shared__ __constant__ __restrict__ __launch_bounds__ threadIdx blockIdx blockDim gridDim""".split())
_HERE = Path(__file__).resolve().parent


def words(text):
    """Words and signs of a text; a name is "a"."""
    found = []
    for word in _TOKEN.findall(text):
        if word.startswith(("//", "/*")):
            continue
        name = word[0].isalpha() or word[0] == "_"
        found.append("a" if name and word not in _KEYWORDS else word)
    return found


def shape(text):
    """The runs of RUN consecutive words of a text, each once."""
    all_words = words(text)
    return {tuple(all_words[i:i + RUN]) for i in range(len(all_words) - RUN + 1)}


def likeness(one, other, common=frozenset()):
    """The fraction of the smaller shape that the larger one has too, without what is common to all."""
    one, other = one - common, other - common
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST else 0.0


def copies(texts, given):
    """{name: (the text that it is like, likeness)} of {name: text}; `given` holds the texts that everyone was given."""
    shapes = {name: shape(text) for name, text in texts.items()}
    offered = {name: shape(text) for name, text in given.items()}
    common = frozenset().union(*offered.values())
    found = {}
    for name, own in shapes.items():
        others = [(likeness(own, shapes[other], common), other) for other in shapes if other != name]
        share, other = max(others, default=(0, ""))
        if share >= COPIED:
            found[name] = (other, share)
            continue
        for initial, runs in offered.items():
            if own and len(own & runs) >= UNCHANGED * len(own):
                found[name] = (f"the initial text {initial}", len(own & runs) / len(own))
    return found


def read(path):
    """The text of a file in the folder; nothing of a link, which could be any file, or of what is too large for a kernel."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
            return ""
        return file.read(MOST_BYTES).decode(errors="replace").replace("\r\n", "\n")


def kernels(folder):
    return {path.name: read(path) for path in sorted(Path(folder).glob("*.cu"))}


def initial_texts():
    """The texts that the program offers: installed beside this file, or in the sources."""
    for folder in (_HERE / "kernels", _HERE.parents[2] / "assets" / "kernels"):
        if folder.is_dir():
            return {path.stem: read(path) for path in sorted(folder.glob("*.cu"))}
    return {}


def shown(text):
    return html.escape("".join(c if c.isprintable() else "    " if c == "\t" else "?" for c in text))


def listing(text, errors):
    """The text with line numbers; errors stand below their lines."""
    def told(line):
        return "".join(f'</pre><p class="error">{shown(message)}</p><pre>' for where, message in errors if where == line)
    lines = [f"{number:5}  {shown(line)}" for number, line in enumerate(text.split("\n"), 1)]
    wrong = {where for where, _ in errors}
    marked = [f"<mark>{line}</mark>{told(k)}" if k in wrong else line + "\n" for k, line in enumerate(lines, 1)]
    return "<pre>" + told(0) + "".join(marked) + "</pre>\n"


STYLE = """body { font: 11pt/1.45 sans-serif; margin: 2em; } table { border-collapse: collapse; }
th, td { border: 1px solid #999; padding: 0.2em 0.6em; text-align: left; vertical-align: top; } td.number { text-align: right; }
.good { background: #d8f0d8; } .bad, mark { background: #f6d8d8; } pre { margin: 0; font-size: 9pt; }
.error { margin: 0 0 0 5em; color: #a00000; }"""


def page(rows, texts, alike):
    """One page without other files: the table, then each text with its errors at their lines."""
    files = {}
    for row in rows:
        files.setdefault(row["file"], []).append(row)
    timed = next((row for row in rows if row["seconds_per_force"]), None)
    head = (f"{shown(timed['device'])}, {int(timed['bodies']):,} bodies." if timed else
            "No force was checked, and none was timed.")
    table, below = "", ""
    for number, (file, errors) in enumerate(files.items()):
        first, name = errors[0], file[2:] if file.startswith("./") else file
        seconds, good = first["seconds_per_force"], first["verdict"] in ("good", "compiles")
        found = [] if good else [(int(row["line"] or 0), row["message"]) for row in errors]
        like = "{} ({:.0f} %)".format(alike[name][0], 100 * alike[name][1]) if name in alike else ""
        cells = [f"{1e3 * float(seconds):.4g}" if seconds else "", f"{float(first['interactions_per_second']):.3g}" if seconds else "",
                 first["times_tiled"]]
        table += (f'<tr><td><a href="#k{number}">{shown(name)}</a></td><td class="{"good" if good else "bad"}">{shown(first["verdict"])}</td>'
                  + "".join(f'<td class="number">{shown(cell)}</td>' for cell in cells) + f"<td>{shown(like)}</td><td>"
                  + "<br>".join((f"line {line}: " if line else "") + shown(text) for line, text in found) + "</td></tr>\n")
        below += f'<h2 id="k{number}">{shown(name)}</h2>\n{listing(texts.get(name, ""), found)}'
    columns = "".join(f"<th>{name}</th>" for name in
                      ("file", "verdict", "ms per force", "interactions/s", "times tiled", "text like", "errors"))
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Kernels</title>\n<style>\n{STYLE}\n</style>\n'
            f"</head>\n<body>\n<h1>Kernels</h1>\n<p>{head}</p>\n<table>\n<tr>{columns}</tr>\n{table}</table>\n{below}</body>\n</html>\n")


def main(arguments=None):
    options = argparse.ArgumentParser(prog="python3 -m gravlab.grade", description=__doc__.split("\n")[0])
    options.add_argument("csv", help="the table of gravlab grade --csv")
    options.add_argument("folder", help="the folder with the kernels")
    options.add_argument("-o", "--output", help="the page, FILE.html")
    options.add_argument("--given", help="folder with the texts that everyone was given [those of the program]")
    asked = options.parse_args(arguments)
    with open(asked.csv, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.DictReader(file))
    texts = kernels(asked.folder)
    alike = copies(texts, kernels(asked.given) if asked.given else initial_texts())
    for name, (other, share) in alike.items():
        print(f"{name} is like {other}: {100 * share:.0f} % of its text without comments, spaces and names")
    if asked.output:
        Path(asked.output).write_text(page(rows, texts, alike), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
