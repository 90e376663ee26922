#!/usr/bin/env python3
"""Compares every name for users, collected from the program itself, with tests/data/inventory.txt: an entry that the program no longer
has fails, and so does a new one that is not listed. tests/gui/inventory_test.cpp does it for the window.
Usage: tests/inventory.py BINARY [TEST...]"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
PATIENCE = 120  # seconds for one command, however busy the machine is


def sections(text):
    found, name = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line and not line.startswith("#"):
            found.setdefault(name, set()).add(line)
    return found


LISTED = sections((ROOT / "tests/data/inventory.txt").read_text(encoding="utf-8"))


def options_of(text):
    """The rows of a help text under titles of options, without their descriptions: "--size WxH"."""
    found, inside = set(), False
    for line in text.splitlines():
        inside = (inside or line in ("Options:", "Positionals:")) and line != "Examples:" and not line.startswith("Exit codes")
        if inside and (row := re.fullmatch(r"  (\S+( \S+)*?)(  +.*)?", line)):
            found.add(row[1])
    return found


def allowed_by(refusal):
    """The values that a refusal allows: the names after "valid:", otherwise the limits, as "1 to 4096", "at least 1", "above 0"."""
    if "valid: " in refusal:
        return re.split(r"[;\n]", refusal.partition("valid: ")[2])[0]
    limits = r"(?:at least|at most|above|from|to|below|or) -?[0-9](?:[0-9.e+]*[0-9])?"
    return " ".join(re.findall(limits, refusal))


def names_in(list_, row):
    """What identifies a row of a list, with what a user may not lose of it."""
    if list_ == "devices":
        return row["backend"]
    if list_ == "kernels":
        return (f"{row['backend']} {row['name']} block {row['blocks']} unroll {json.dumps(row['unrolls'], separators=(',', ':'))} "
                f"bodies_per_thread {json.dumps(row['bodies_per_thread'], separators=(',', ':'))} split {row['splits']}"
                + ("" if row["deterministic"] else " not deterministic"))
    if list_ == "scenes":
        parameters = " ".join(f"{one['name']}={one['value']:g}" for one in row["parameters"])
        return f"{row['name']} {row['bodies_gpu']} {row['bodies_cpu']} {parameters}"
    more = {"laws": "numbers", "encoders": "files"}.get(list_)
    return f"{row['name']}: {row[more]}" if more else row["name"]


class Inventory(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="gravlab-inventory-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        cls.environment |= {"XDG_STATE_HOME": scratch.name, "XDG_CACHE_HOME": scratch.name}

    def run_(self, *words):
        return subprocess.run([BINARY, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def out(self, *words):
        return self.run_(*words).stdout

    def expect(self, section, found):
        self.assertTrue(found, f"nothing was found for [{section}]")
        with self.subTest(section):
            listed = LISTED.get(section, set())
            self.assertEqual((listed - set(found), set(found) - listed), (set(), set()),
                             "lost, and new: to be added to tests/data/inventory.txt")

    def test_options_of_each_command(self):
        names = re.findall(r"^  gravlab ([a-z]+) ", self.out("--help").partition("Each has its own help")[0], re.M)
        self.expect("commands", names)
        for command in names:
            self.expect("options " + command, options_of(self.out(command, "--help")))

    def test_what_each_option_allows(self):
        starts = {"view": (), "render": ("-o", "a.png"), "run": ("--steps", "1"),
                  "bench": ("-n", "64", "--steps", "1", "--repeats", "1"), "tune": (), "check": (), "fingerprint": (), "groups": ()}
        rows = {}  # an option of several commands has the same meaning in each
        for command in starts:
            for line in self.out(command, "--help").splitlines():
                named = re.match(r"  (?:-\w,)?(--[A-Za-z-]+)(?:,--\w+)? (\S+)", line)
                # Free texts, and values that depend on the machine.
                if named and named[2] not in ("FILE", "DIR", "PATTERN", "NAME=VALUE") and named[1] not in ("--columns", "--twin", "--simd"):
                    rows.setdefault(line, (command, named[1], named[2]))

        def allowed(row):
            command, name, placeholder = row
            for bad in ("?", "-99999999999"):
                refused = self.run_(command, *starts[command], f"{name}={bad}")
                if refused.returncode == 2 and (text := allowed_by(refused.stderr)):
                    return f"{name} {placeholder}: {text}"
            return f"{name} {placeholder}: "

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.expect("allowed", set(pool.map(allowed, rows.values())))

    def test_rows_of_every_table(self):
        lists = allowed_by(self.run_("list", "?").stderr).split(", ")
        self.expect("lists", lists)
        for name in lists:
            rows = json.loads(self.out("list", name, "--json"))
            self.expect("columns of list " + name, rows[0])
            if name == "actions":
                self.expect(name, [f"{row['name']} | {row['key']}" for row in rows])
            # Pages of docs have these rows, which other tests compare.
            elif name not in ("keys", "parameters", "commands"):
                self.expect("list " + name, [names_in(name, row) for row in rows])

    def test_keys_of_scene_files(self):
        for section, text in (("keys of a run's settings", "q = 1\n"), ("keys of [view]", "[view]\nq = 1\n"),
                              ("keys of [twin]", "[twin]\nq = 1\n")):
            (self.folder / "scene.toml").write_text(text)
            self.expect(section, allowed_by(self.run_("render", "scene.toml", "-o", "a.png").stderr).split(", "))

    def test_columns_of_its_tables(self):
        bench = ("bench", "--backend", "cpu", "-n", "64", "--steps", "2", "--repeats", "1")

        def columns(text):
            return [name.strip() for name in text.partition("\n")[0].split(",")]

        self.expect("columns of bench --format csv", columns(self.out(*bench, "--format", "csv")))
        self.expect("members of bench --format json", json.loads(self.out(*bench, "--format", "json"))[0])
        self.expect("members of fingerprint --json", json.loads(self.out("fingerprint", "-n", "8", "--json")))
        self.expect("members of groups --json", json.loads(self.out("groups", "-n", "64", "--backend", "cpu", "--json")))
        ran = self.run_("run", "plummer", "-n", "2000", "--steps", "1", "--csv", "e.csv", "--twin", "integrator=euler", "--plots", "plots",
                        "--final", "end.hdf5")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.expect("columns of run --csv with --twin", columns((self.folder / "e.csv").read_text()))
        self.expect("columns of the profile of run --plots", columns((self.folder / "plots/profile.csv").read_text()))
        if "python3-matplotlib" not in ran.stderr:
            self.expect("files of run --plots", os.listdir(self.folder / "plots"))
        self.expect("columns of bodies as csv", columns(self.out("run", "two-body", "--steps", "0", "--final", "-")))
        facts = self.out("info", "end.hdf5").splitlines()
        self.expect("lines of info", {re.split("[=]" if line.startswith(" ") else "[:]", line)[0] for line in facts})

    def test_variables_of_the_environment(self):
        found = set()
        for folder in ("sim", "render", "app"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".cpp", ".h"):
                    found |= set(re.findall(r'(?:getenv|userFolder)\("([A-Z_]+)"', path.read_text(encoding="utf-8")))
        self.expect("environment", found)

    def test_what_is_lost_and_what_is_new_is_noticed(self):
        self.assertEqual(sections("[x]\na\n# no\nb\n[y]\nc\n"), {"x": {"a", "b"}, "y": {"c"}})
        self.assertEqual(allowed_by("unknown q; valid: a, b; nor c"), "a, b")
        self.assertEqual(allowed_by("expected a whole number from 1 to 4096"), "from 1 to 4096")
        self.assertEqual(len(options_of("Options:\n  -n,--bodies N     a number\n  --paper\nExamples:\n  gravlab  x\n")), 2)


if __name__ == "__main__":
    unittest.main()
