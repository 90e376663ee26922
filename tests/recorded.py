#!/usr/bin/env python3
"""Tests of what pages and lessons say: the table of papers, facts of papers, dates, numbers without a mark, version and course.

    tests/recorded.py             all of them, in seconds and without a build
    tests/recorded.py --write     writes the table of docs/benchmarks/papers.md, after a table of docs/benchmarks changed

Needs Python's standard library. Each rule has a test that it can fail."""
import csv
import functools
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "docs/benchmarks"
PAGE = BENCHMARKS / "papers.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->"


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@functools.cache
def rows_of(table):
    lines = (BENCHMARKS / f"{table}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#")))


def number(row, column):
    try:
        return float(row.get(column) or 0)
    except ValueError:
        return 0


def grouped(value):
    return f"{int(value):,}"


def rate_of(row):
    """A rate in single precision, for usual bodies, that passed its check [interactions/s]; 0: none."""
    fits = row.get("verified") == "true" and row.get("precision") == "fp32" and row.get("note") == ""
    return number(row, "interactions_per_second") if fits else 0


def recorded(which):
    """The number of a row as recordedNumber() of the program reads it: TABLE KERNEL COLUMN=VALUE ... best=COLUMN of=COLUMN; [G/s] without
    the last."""
    table, *words = which.split()
    pairs = dict(word.split("=") if "=" in word else ("kernel", word) for word in words)
    of, best = pairs.pop("of", ""), pairs.pop("best", "")

    def says(row, column, value):
        cell = row.get(column) or ""
        return cell == value or cell != "" and re.fullmatch(r"[\d.e+-]+", value) is not None and number(row, column) == float(value)

    def value(row):
        if of:
            return number(row, of) if row.get(of) else None
        rate = rate_of(row) if "verified" in row else number(row, "interactions_per_second")
        return 1e-9 * rate if rate else None
    found = [row for row in rows_of(table) if value(row) is not None and all(says(row, *pair) for pair in pairs.items())]
    found = sorted(found, key=lambda row: -number(row, best))[:1] if best else found
    assert len(set(map(value, found))) == 1, f"recorded({which}) has {len(found)} rows"
    return value(found[0])


@functools.cache
def gpus():
    """Pairs per second that each GPU can issue at 14 instructions each."""
    rows = re.findall(r'\{"([\w-]+)", "sm_\d+", "[^"]*", (\d+), (\d+), ([\d.e]+),', text_of("app/tables/occupancy.cpp"))
    return {name: int(count) * int(lanes) * float(clock) / 14 for name, count, lanes, clock in rows}


@functools.cache
def names():
    """What the program has, by the word before its name on the page of facts."""
    sections = dict(re.findall(r"^\[(.+)\]\n((?:.+\n)*)", text_of("tests/data/inventory.txt"), re.M))
    first = lambda section: {line.split()[0].rstrip(":") for line in sections[section].splitlines()}
    traps = text_of("sim/backends/cuda/kernel_table.cpp").partition("kTraps[]")[2].partition("\n};")[0]
    traps = set(re.findall(r'(?:targetsEntry\(\s*|\.name = )"([^"]+)"', traps))
    kernels = {tuple(line.split()[:2]) for line in sections["list kernels"].splitlines()}
    return {"kernel": {name for _, name in kernels} - traps, "trap": traps, "scene": first("list scenes"), "law": first("list laws"),
            "host": {name for backend, name in kernels if backend == "cpu"}, "integrator": first("list integrators"),
            "figure": set(re.search(r"^--figure NAME: (.+)$", sections["allowed"], re.M)[1].split(", ")),
            "lesson": {path.stem for path in (ROOT / "assets/lessons").glob("*.toml")},
            "parameter": set(text_of("tests/data/inventory.txt").split("\n"))}


@functools.cache
def tables_of_devices():
    found = sorted(path.stem for path in BENCHMARKS.glob("nvidia-*.csv"))
    return sorted(found, key=lambda name: not name.startswith("nvidia-h200"))


def own_rate(paper):
    """Rate, bound and device at the launch of a paper's row, of whole steps where the paper has those. Where it gives no N, the
    largest recorded one up to 65,536 counts; of several tables, the fastest row."""
    of = "step_interactions_per_second" if paper["whole_steps"] else "interactions_per_second"
    best, most = (0, 0, ""), 0
    for name in tables_of_devices() if paper["kernel"] else ():
        device = "-".join(name.split("-")[:2])
        if best[2] and best[2] != device:
            break
        # The table of a device has one factor of each row; the figures over the factor have that of the paper. A ladder has the
        # fastest launch of each row; the figures over the block have those of the papers.
        if name == device and number(paper, "unroll") or name.startswith(device + "-ladder") and number(paper, "block"):
            continue
        for row in rows_of(name):
            if row.get("kernel") != paper["kernel"]:
                continue
            same = all(number(paper, key) in (0, number(row, key)) for key in ("n", "block", "unroll", "split"))
            rate, bodies = number(row, of), number(row, "n")
            if not same or not rate_of(row) or bodies < most or bodies > 65536 or (bodies == most and rate <= best[0]):
                continue
            most, best = bodies, (rate, number(row, "bound_interactions_per_second"), device)
    return best


def own_quantity(paper):
    """For a quantity that is no rate: the column `ours` names a number of a table, or a ratio of two, or is a fact of the H200. A time
    per step [us] counts for the steps of the paper, in seconds."""
    which = paper["ours"]
    if not which:
        return 0, 0, ""
    if re.fullmatch(r"[\d.e+-]+", which):
        return float(which), 0, "nvidia-h200"
    first, over, second = which.partition(" / ")
    value = recorded(first) / (recorded(second) if over else 1) * (1e-6 * number(paper, "steps") if number(paper, "steps") else 1)
    device = which.split()[0]
    return value, 0, "nvidia-h200" if device.startswith("kernel-notes") else "-".join(device.split("-")[:2])


def table():
    """Every number of the papers, beside it what a GPU of docs/benchmarks has with the same kernel and launch, and the reason."""
    titles = ("paper, place", "device", "what", "N", "p", "unroll", "split", "theirs", "of the bound", "ours", "of the bound", "ours on",
              "ratio", "why")
    lines = ["| " + " | ".join(titles) + " |", "| " + " | ".join("---" for _ in titles) + " |"]
    giga = lambda rate: grouped(1e-9 * rate + 0.5) if rate >= 1e12 else f"{1e-9 * rate:.3g}"
    share = lambda rate, bound: f"{rate / bound:.2f}" if 0 < rate < bound else ""
    for row in rows_of("papers"):
        rate, quantity, kernel = number(row, "interactions_per_second"), row["quantity"], row["kernel"]
        own, bound, device = own_rate(row) if rate else own_quantity(row)
        value = number(row, "value" if quantity else "seconds")
        shown = "" if not own else giga(own) if rate else (grouped(own + 0.5) if own >= 1000 else f"{own:.4g}") + ("" if quantity else " s")
        on = ("host of the " if own and kernel in names()["host"] else "") + device[len("nvidia-"):].upper()
        what = f"`{kernel}`" if not quantity else f"`{kernel}`, {quantity}" if kernel else quantity
        launch = [grouped(number(row, key)) if number(row, key) else "" for key in ("n", "block", "unroll", "split")]
        theirs = row["value"] if quantity else giga(rate) if rate else f"{number(row, 'seconds'):.4g} s"
        ratio = f"{own / (rate or value):.3g}" if own else ""
        cells = [f"{row['paper']}, {row['place']}", row["device"], what, *launch, theirs, share(rate, gpus().get(row["gpu"], 0)), shown,
                 share(own, bound), on, ratio, row["why"]]
        lines.append("".join("| " + cell + (" " if cell else "") for cell in cells) + "|")
    return "\n".join(lines) + "\n"


class Papers(unittest.TestCase):
    def test_stand_beside_ours_in_the_table_of_the_page(self):
        self.assertEqual(text_of(PAGE).partition(BEGIN)[2].partition(END)[0], table(), "tests/recorded.py --write writes it")
        for text in ("| 003, third table | A100 | `tiled-atomics` | 4,096 | 128 | | 32 | 257 | 0.37 |",
                     "| `shuffle`, rate over that of tiles | | | | | 0.75 | | 0.7",
                     "| `tiled`, best block | | | 16 | | 128 | | 128 | | H200 | 1 |", "| 176.4 s | | 6.5 s | | H200 | 0.0368 |"):
            self.assertIn(text, table())
        # Ours is the paper's kernel at its launch, in whole steps where the paper has those.
        compared = 0
        for row in rows_of("papers"):
            self.assertEqual(row["quantity"] == "", row["ours"] == "" or row["seconds"] != "", row["place"])
            if row["kernel"] != "tiled-atomics" or row["quantity"]:
                continue
            of = "split-atomics" if row["block"] == "128" and row["split"] != "4" else "block-atomics"
            rate = recorded(f"nvidia-h200-{of} tiled-atomics block={row['block']} split={row['split']} of=step_interactions_per_second")
            self.assertIn(f" | {1e-9 * rate:.3g} | " if rate < 1e12 else f" | {grouped(1e-9 * rate + 0.5)} | ", table())
            compared += 1
        self.assertEqual(compared, 12)

    def test_have_a_reason_for_the_ratio_of_every_figure_and_table(self):
        place = lambda row: (row["paper"], row["place"], row["kernel"])
        self.assertEqual({place(row) for row in rows_of("papers") if row["why"]}, {place(row) for row in rows_of("papers")})

    def test_have_a_place_that_exists_or_a_reason_for_every_fact(self):
        def known(word, name):
            return (ROOT / name).exists() if word == "file" else name in names()[word]
        facts, places = 0, 0
        for line in re.findall(r"^\| \d.*$", text_of("docs/benchmarks/papers-facts.md"), re.M):
            facts += 1
            self.assertTrue(line.startswith(f"| {facts} | "), line)
            self.assertGreater(len(line), line.rfind(" | ") + 10, line + ": no place and no reason")
            self.assertEqual(line.count("|"), 5, line)
            for word in ("kernel", "trap", "figure", "lesson", "scene", "law", "integrator", "parameter", "file"):
                for name in re.findall(rf"\b{word} `([^`]+)`", line):
                    places += 1
                    self.assertTrue(known(word, name), f"{line}\nthere is no {word} {name}")
        self.assertEqual(facts, 135)
        self.assertGreater(places, 120)
        self.assertFalse(known("kernel", "no-such") or known("kernel", "no-barrier") or known("file", "docs/no-such.md"))

    def test_have_marks_at_the_rates_of_the_page(self):
        """Each rate and share, also in prose, is checked against a table, by a test of the program."""
        bare = re.compile(r"\b[0-9][0-9,.]* (G/s|GFLOP/s|G pairs|%)")
        page = text_of(PAGE)
        prose = page[:page.index(BEGIN)] + page[page.index(END):]
        self.assertEqual([line for line in prose.split("\n") if bare.search(line)], [])
        self.assertTrue(bare.search("with split 32 it reaches 63 %"))


def typed_in(text):
    """Rates and times of a text outside braces: no table checks them."""
    while (inner := re.sub(r"\{[^{}]*\}", "x", text)) != text:
        text = inner
    return re.findall(r"\b[0-9][0-9,.]* (?:G/s|G pairs|G interactions|ms|us|microseconds)\b", text)


@functools.cache
def dates_of(name):
    """The dates in a table of docs/benchmarks, or with "-*" at the end in all such tables."""
    return {row["date"] for path in BENCHMARKS.glob(name + ".csv") for row in rows_of(path.stem) if row.get("date")}


def wrong_dates_in(text):
    """Dates of a text beside tables that have others; one text is one paragraph, row or step of a lesson."""
    dates = re.findall(r"20\d\d-\d\d-\d\d", text)
    tables = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:-\*)?", text) if dates else []
    known = set().union(*map(dates_of, tables))
    return [(date, text[:100]) for date in dates if known and date not in known]


class Numbers(unittest.TestCase):
    def test_of_lessons_stand_in_braces(self):
        for path in (ROOT / "assets/lessons").glob("*.toml"):
            self.assertEqual(typed_in(text_of(path)), [], path.name)
        self.assertEqual(typed_in("{a / 2} G/s and {3 = b} ms"), [])
        self.assertEqual(typed_in("742 G/s with {40 = registers}"), ["742 G/s"])

    def test_have_the_dates_of_their_tables(self):
        for folder, pattern, ends in (("docs", "*.md", r"\n\n|\n(?=[-|#])"), ("assets/lessons", "*.toml", r"\[\[step\]\]")):
            for path in (ROOT / folder).rglob(pattern):
                for part in re.split(ends, text_of(path)):
                    self.assertEqual(wrong_dates_in(part), [], path.name)
        self.assertEqual(wrong_dates_in("666 (recorded(nvidia-h200 tiled), 2026-11-26)"), [])
        for text, wrong in (("[nvidia-h200-split.csv](nvidia-h200-split.csv) (2026-11-22)", "2026-11-22"),
                            ("| `amd-epyc-2-threads-*` | 2026-11-21", "2026-11-21")):
            self.assertEqual(wrong_dates_in(text)[0][0], wrong)


class Pages(unittest.TestCase):
    def test_name_the_version_of_the_program(self):
        known = re.search(r"^project\(gravlab VERSION (\S+)", text_of("CMakeLists.txt"), re.M)[1]
        newest = re.search(r"^## (\S+) - (unreleased|\d{4}-\d\d-\d\d)$", text_of("CHANGELOG.md"), re.M)
        self.assertEqual(newest[1], known, "the newest heading of CHANGELOG.md")
        self.assertIn(f"\nversion: {known}\n", text_of("CITATION.cff"))

    def test_of_the_course_name_every_lesson_with_its_minutes(self):
        page = text_of("docs/lessons.md")
        for path in (ROOT / "assets/lessons").glob("*.toml"):
            self.assertRegex(page, rf"[|,] `{path.stem}`", "not in the course")
            minutes = re.search(r"^minutes = (\d+)", text_of(path), re.M)[1]
            self.assertIn(re.findall(rf"^\| `{path.stem}` \| (\d+)", page, re.M), ([], [minutes]), path.stem)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        before, _, rest = text_of(PAGE).partition(BEGIN)
        PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")
    else:
        unittest.main()
