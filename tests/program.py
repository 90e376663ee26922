"""The program as scripts start it: its exit code, output and messages. For the scripts of tests/."""
import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/gravlab").resolve()
PATIENCE = 120  # seconds for one event, however busy the machine is


def until(met, what):
    end = time.time() + PATIENCE
    while not met():
        assert time.time() < end, "waited in vain for " + what
        time.sleep(0.002)


class Started:
    """The program under way, in a session of its own, which ends with it."""

    def __init__(self, *words, before=(), stdin=subprocess.DEVNULL, **environment):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([str(word) for word in (*before, BINARY, *words)], stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, start_new_session=True,
                                        env={**os.environ, **environment})

    def __del__(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def said(self):
        return os.pread(self.log.fileno(), 1 << 20, 0).decode(errors="replace")

    def says(self, text):
        until(lambda: text in self.said() or self.process.poll() is not None, repr(text))
        return self

    def worked(self):
        """Time of the processor [s]."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")

    def end(self, *numbers):
        """Sends the signals, and gives exit code (128 + signal where one ended it), output and messages."""
        for number in numbers:
            self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE)
        code = self.process.returncode
        return (128 - code if code < 0 else code), out, self.said()


def run(*words, **more):
    return Started(*words, **more).end()


@functools.cache
def has_hdf5():
    with tempfile.TemporaryDirectory() as folder:
        return run("run", "two-body", "--steps", 0, "--final", folder + "/x.hdf5")[0] == 0


def needs_hdf5(test):
    @functools.wraps(test)
    def tried(self):
        if not has_hdf5():
            self.skipTest("this build has no HDF5")
        test(self)
    return tried


def info(file, *more):
    code, out, err = run("info", file, "--json", *more)
    assert code == 0, err
    return json.loads(out)


def lines_of(file):
    return pathlib.Path(file).read_text().splitlines()


class Scratch(unittest.TestCase):
    def setUp(self):
        self.here = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = self.folder.name + "/" + name

    def tearDown(self):
        os.chdir(self.here)
        self.folder.cleanup()
