#!/usr/bin/env python3
"""Completes real lines in a real bash with a terminal of its own, in zsh and fish where they are installed, and holds man pages
and lists against the program's help.

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
LINES = [  # what is typed before Tab, the words that the shell then has
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


STARTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". '{0}/gravlab.bash'; bind 'set bell-style none'"),
    "zsh": (["zsh", "-f", "-i"], "fpath=('{0}' $fpath); autoload -Uz compinit; compinit -u; unsetopt beep"),
}


class Shell:
    """An interactive shell. gravlab is a function there that prints its words, so that Tab and Enter show a completed line."""

    def __init__(self, name, manuals, folder):
        words, setup = STARTS[name]
        self.name = name
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", HOME=folder, ZDOTDIR=folder, INPUTRC="/dev/null")
            os.execvp(words[0], words)
        self.send(setup.format(manuals) + "; gravlab() { printf 'WORDS<%s>\\n' \"$*\"; }\n")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def words(self, line):
        """Types the line, Tab and Enter."""
        self.send(line + "\t\n")
        text = ""
        while not (found := re.search(r"WORDS<([^%>\n][^>\n]*)>\r?\n", text)):
            if not select.select([self.terminal], [], [], 120)[0]:
                raise AssertionError(f"{self.name} says nothing after {line!r}: {text!r}")
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
        for name in STARTS:
            if not shutil.which(name):
                print(f"{name} IS NOT TESTED: it is not here")
                continue
            shell = Shell(name, manuals, desk)
            for line, wanted in LINES:
                got = shell.words(line)
                if got != wanted:
                    failures.append(f"{name}: {line!r} becomes {got!r}, not {wanted!r}")
            shell.close()
        if shutil.which("fish"):
            for line, wanted in LINES:
                before, typed = line.split()[1:-1], line.split()[-1]
                word = wanted[len(" ".join(before)):].strip()  # what stands in place of the word that was begun
                rows = output("fish", "--no-config", "-c",
                              f"cd '{desk}'; source '{manuals}/gravlab.fish'; complete -C '{line}'").splitlines()
                offered = [row.split("\t")[0] for row in rows]
                if offered != ([] if word == typed else [word]):
                    failures.append(f"fish: {line!r} offers {offered}, not {word!r}")
        else:
            print("fish IS NOT TESTED: it is not here")
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
    finally:
        shutil.rmtree(folder)
    print(f"{len(LINES)} lines, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


sys.exit(main())
