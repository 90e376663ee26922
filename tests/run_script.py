#!/usr/bin/env python3
"""./run on a machine without a display: which commands reach the program unchanged, and which become a film.

    tests/run_script.py BINARY"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/gravlab").resolve()


class RunScript(unittest.TestCase):
    """A copy of the script beside an existing build: a program that answers `list` and `COMMAND --help` like the real one, and
    records all other calls."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "third_party").mkdir()
        shutil.copy(ROOT / "run", self.folder)
        (self.folder / "third_party/setup.sh").write_text(
            f"build={self.folder}\ninstall_missing() {{ :; }}\nconfigure_and_build() {{ :; }}\ngpu_architectures() {{ :; }}\n")
        program = self.folder / "gravlab"
        program.write_text(f"#!/bin/sh\ncase \"$1 $2\" in 'list commands' | *' --help') exec '{BINARY}' \"$@\" ;; esac\n"
                           f"echo \"$*\" >> '{self.folder}/calls'\n")
        program.chmod(0o755)

    def tearDown(self):
        self.scratch.cleanup()

    def calls(self, arguments):
        """The recorded calls of the program, one line per start."""
        file = self.folder / "calls"
        file.unlink(missing_ok=True)
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        subprocess.run(["./run", *arguments.split()], cwd=self.folder, env=environment, check=True, capture_output=True)
        return file.read_text().splitlines()

    def test_passes_on_every_command_that_opens_no_window(self):
        commands = json.loads(subprocess.run([BINARY, "list", "commands", "--json"], check=True, capture_output=True).stdout)
        sections = (ROOT / "tests/data/inventory.txt").read_text().partition("[commands]\n")[2]
        self.assertEqual({row["name"] for row in commands}, set(sections.partition("\n\n")[0].splitlines()), "./run reads this list")
        for command in [row["name"] for row in commands if not row["window"]]:
            for arguments in (command + " -n 64 --seed 2", "--seed 2 " + command):
                self.assertEqual(self.calls(arguments), [arguments])
        for arguments in ("--help", "view --version"):
            self.assertEqual(self.calls(arguments), [arguments])

    def test_makes_a_film_of_what_would_open_a_window(self):
        for arguments in ("", "view", "disc -n 64", "view disc -n 64"):
            line, = self.calls(arguments)
            self.assertTrue(line.startswith("render -o gravlab"), line)
            self.assertTrue(line.endswith("--ui disc -n 64" if "disc" in arguments else "--ui"), line)

    def test_leaves_out_of_the_film_what_is_for_a_window(self):
        """Options that render would refuse with code 2 must not reach it."""
        for arguments, end in (("collision --autosave 2", "--ui collision"), ("view --fullscreen", "--ui"),
                               ("--autosave=2 --no-welcome collision --speed 3 --seed 5", "--ui collision --speed 3 --seed 5"),
                               ("disc --set thickness=0.2", "--ui disc --set thickness=0.2")):
            self.assertTrue(self.calls(arguments)[0].endswith(end), arguments)
        for arguments in ("--lesson leapfrog", "view --lesson=leapfrog --autosave 1"):
            self.assertEqual(self.calls(arguments), ["lesson leapfrog"])
        refused = subprocess.run([BINARY, "render", "collision", "-o", "a.png", "--autosave", "2"], capture_output=True)
        self.assertEqual(refused.returncode, 2, "or there would be nothing to leave out")


if __name__ == "__main__":
    unittest.main()
