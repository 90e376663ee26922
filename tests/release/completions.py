#!/usr/bin/env python3
"""Completes real lines in a real bash with a terminal of its own, and holds man pages and lists against the program's help.

    completions.py PROGRAM
"""
import gzip
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINES = [  # what is typed before Tab, the words that bash then has
    ("gravlab rend", "render"),
    ("gravlab repo", "report"),
    ("gravlab plum", "plummer"),
    ("gravlab run plum", "run plummer"),
    ("gravlab run --backe", "run --backend"),
    ("gravlab run --backend cu", "run --backend cuda"),
    ("gravlab run --backend=cu", "run --backend=cuda"),
    ("gravlab run disc --integrator yoshida6 --prec", "run disc --integrator yoshida6 --precision"),
    ("gravlab run --precision mi", "run --precision mixed"),
    ("gravlab --lesson leapf", "--lesson leapfrog"),
    ("gravlab lesson leapf", "lesson leapfrog"),
    ("gravlab list integ", "list integrators"),
    ("gravlab list plum", "list plum"),  # a scene is no list
    ("gravlab run --map vir", "run --map vir"),  # run has no colour map
    ("gravlab render --map vir", "render --map viridis"),
    ("gravlab bench --figure energy-d", "bench --figure energy-dt"),
    ("gravlab groups --units gal", "groups --units galactic"),
    ("gravlab convert my", "convert my stars.csv"),  # a file, with a space
    ("gravlab run --final my", "run --final my stars.csv"),
]


class Bash:
    """An interactive bash. gravlab is a function there that prints its words, so that Tab and Enter show a completed line."""

    def __init__(self, script, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", HOME=folder, INPUTRC="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.send(f". '{script}'; gravlab() {{ printf 'WORDS<%s>\\n' \"$*\"; }}; bind 'set bell-style none'\n")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def words(self, line):
        """Types the line, Tab and Enter."""
        self.send(line + "\t\n")
        text = ""
        while not (found := re.search(r"WORDS<([^%>\n][^>\n]*)>\r?\n", text)):
            if not select.select([self.terminal], [], [], 120)[0]:
                raise AssertionError(f"bash says nothing after {line!r}: {text!r}")
            text += os.read(self.terminal, 65536).decode(errors="replace")
        return found[1].strip()

    def close(self):
        self.send("exit\n")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main():
    folder = tempfile.mkdtemp(prefix="gravlab-completions-")
    failures = []
    try:
        manuals, desk = os.path.join(folder, "manuals"), os.path.join(folder, "desk")
        os.mkdir(desk)
        open(os.path.join(desk, "my stars.csv"), "w").close()
        output(sys.executable, os.path.join(ROOT, "third_party/manuals.py"), PROGRAM, manuals)
        script = os.path.join(manuals, "gravlab.bash")
        bash = Bash(script, desk)
        for line, wanted in LINES:
            got = bash.words(line)
            if got != wanted:
                failures.append(f"{line!r} becomes {got!r}, not {wanted!r}")
        bash.close()
        commands = [row["name"] for row in json.loads(output(PROGRAM, "list", "commands", "--json"))]
        for command in commands:
            help_text = output(PROGRAM, command, "--help").split("Examples:")[0]
            listed = {name for row in re.findall(r"^  (-\S+)", help_text, re.M) for name in row.split(",")}
            offered = set(output("bash", "-c", f". '{script}'; COMP_WORDS=(gravlab {command} -); COMP_CWORD=2; _gravlab; "
                                               'printf "%s\\n" "${COMPREPLY[@]}"').split())
            if not listed or listed != offered:
                failures.append(f"{command}: only in its help or only offered: {sorted(listed ^ offered)}")
            with gzip.open(os.path.join(manuals, f"gravlab-{command}.1.gz"), "rt") as file:
                page = file.read().replace("\\-", "-")
            failures += [f"the page of {command} lacks {name}" for name in listed if name not in page]
        if len(commands) < 10:
            failures.append("the help of the program names too few commands: nothing was compared")
        for shell, name in (("zsh", "_gravlab"), ("fish", "gravlab.fish"), ("bash", "gravlab.bash")):
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n", os.path.join(manuals, name)], capture_output=True, text=True)
                if checked.returncode != 0:
                    failures.append(f"{shell} cannot read {name}: {checked.stderr}")
            else:
                print(f"{name} IS NOT CHECKED: there is no {shell} here")
    finally:
        shutil.rmtree(folder)
    print(f"{len(LINES)} lines, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


sys.exit(main())
