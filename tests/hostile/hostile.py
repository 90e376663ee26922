#!/usr/bin/env python3
"""Attacks on the program from outside: closed streams, links, pipes, limits, signals, damaged files.

    hostile.py BINARY               the short part, as ./test runs it
    hostile.py BINARY --all         all of it
    hostile.py BINARY NAME...       the cases of these names

Each case is a function that raises AssertionError when a promise is broken. Needs Python's standard library only.
Rule: a case makes its files in a folder of its own and leaves no process behind.
"""
import json
import os
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zlib

BINARY = ""
CASES = []
PATIENCE = 120  # seconds for one command, however busy the machine is


def case(function=None, *, long=False):
    def register(f):
        CASES.append((f.__name__, f, long))
        return f
    return register(function) if function else register


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run(*arguments, closed=(), limits=None, env=None, stdout=None, stdin=subprocess.DEVNULL, patience=PATIENCE):
    """Runs the program. `closed`: descriptors that it starts without."""
    def prepare():
        for number in closed:
            os.close(number)
        for kind, value in (limits or {}).items():
            resource.setrlimit(kind, (value, value))
    done = subprocess.run([BINARY, *map(str, arguments)], stdin=stdin,
                          stdout=stdout if stdout is not None else subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=prepare, env={**os.environ, **(env or {})}, timeout=patience)
    return Result(done.returncode, (done.stdout or b"").decode(errors="replace"), done.stderr.decode(errors="replace"))


def one_sentence(result, code):
    assert result.code == code, f"exit {result.code} instead of {code}: {result.err}"
    lines = [line for line in result.err.splitlines() if line.strip()]
    assert lines and lines[-1].startswith("gravlab: "), f"no sentence: {result.err!r}"


def leftovers(folder="."):
    return [name for name in os.listdir(folder) if name.startswith(".gravlab-") or ".part" in name]


def info(file):
    result = run("info", file, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


STILL = ("render", "six-body", "--frames", "1", "--size", "64x64")


# Streams.

@case
def closed_error_stream_is_no_file():
    for closed in ((2,), (1, 2), (0, 1, 2)):
        result = run("run", "six-body", "--steps", 3, "--final", "ck.hdf5", "--csv", "e.csv", closed=closed)
        assert result.code in (0, 6), result.code
        if result.code == 0:
            assert open("e.csv").readline().startswith("step,time"), closed
            assert info("ck.hdf5")["bodies"] == 6, closed


@case
def what_cannot_be_printed_is_no_success():
    with open("/dev/full", "w") as full:
        for command in (("list", "scenes"), ("--help",), ("fingerprint", "six-body")):
            assert run(*command, stdout=full).code == 6, command
    assert run("list", "scenes", closed=(1,)).code == 6


@case
def a_pipe_that_closes_is_an_error_and_no_death():
    for command in (["list", "kernels"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        result = run(*command, stdout=writer)
        os.close(writer)
        assert result.code == 6, (command, result.code)


# Targets that are no plain files.

@case
def pictures_leave_devices_and_pipes_in_place():
    os.mkfifo("f.png")
    reader = os.open("f.png", os.O_RDONLY | os.O_NONBLOCK)
    assert run(*STILL, "-o", "f.png").code == 0
    assert stat.S_ISFIFO(os.stat("f.png").st_mode), "the pipe was replaced"
    assert os.read(reader, 8) == b"\x89PNG\r\n\x1a\n"
    os.close(reader)
    if os.geteuid() == 0:
        try:
            os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            return
        assert run(*STILL, "-o", "null.png").code == 0
        os.symlink("null", "device.png")
        assert run(*STILL, "-o", "device.png").code == 0
        assert stat.S_ISCHR(os.stat("null").st_mode), "the device was replaced"


@case
def links_stay_and_their_target_changes():
    open("real.png", "w").write("old")
    os.chmod("real.png", 0o640)
    os.symlink("real.png", "link.png")
    assert run(*STILL, "-o", "link.png").code == 0
    assert os.path.islink("link.png")
    assert open("real.png", "rb").read(4) == b"\x89PNG"
    assert stat.S_IMODE(os.stat("real.png").st_mode) == 0o640, "the mode was lost"


@case
def two_outputs_are_two_files():
    os.mkdir("sub")
    open("there.csv", "w").write("x")
    os.symlink("there.csv", "other.csv")
    for a, b in (("s.csv", "./s.csv"), ("s.csv", "sub/../s.csv"), ("there.csv", "other.csv"), ("s.csv", os.getcwd() + "/s.csv")):
        one_sentence(run("run", "six-body", "--steps", 2, "--csv", a, "--final", b), 2)
    one_sentence(run("run", "six-body", "--steps", 9, "--csv", "t5.csv", "--snapshot-every", 5, "--snapshots", "t%d.csv"), 2)
    one_sentence(run("run", "six-body", "--steps", 2, "--csv", "c.hdf5", "--checkpoint", "c.hdf5"), 2)
    assert open("there.csv").read() == "x"


# Failures leave what was there.

@case
def a_full_device_leaves_the_other_outputs():
    open("f.csv", "w").write("old")
    one_sentence(run("run", "six-body", "--steps", 5, "--csv", "/dev/full", "--final", "f.csv"), 6)
    assert open("f.csv").read() == "old"
    assert not leftovers()


@case
def a_size_limit_is_a_sentence():
    limits = {resource.RLIMIT_FSIZE: 1024}
    big = ("render", "six-body", "--frames", "1", "--size", "320x200", "-o", "x.png")
    one_sentence(run(*big, limits=limits), 6)
    assert not leftovers() and not os.path.exists("x.png")
    open("x.png", "w").write("old")
    one_sentence(run(*big, limits=limits), 6)
    assert open("x.png").read() == "old"


@case
def an_interrupted_table_is_kept_beside():
    open("e.csv", "w").write("yesterday")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        program = subprocess.Popen([BINARY, "run", "plummer", "-n", "2000", "--steps", "100000000", "--csv", "e.csv",
                                    "--every", "1", "--checkpoint", "c.hdf5"], stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        deadline = time.time() + PATIENCE
        while not leftovers() and time.time() < deadline:
            time.sleep(0.05)
        time.sleep(2)
        program.send_signal(number)
        _, err = program.communicate(timeout=PATIENCE)
        assert program.returncode == code, (program.returncode, err)
        assert open("e.csv").read() == "yesterday"
        if b"e.csv.partial" in err:
            assert open("e.csv.partial").readline().startswith("step,time")
            os.remove("e.csv.partial")
        assert not leftovers()


@case
def what_a_killed_program_leaves_is_swept():
    program = subprocess.Popen([BINARY, "run", "plummer", "-n", "2000", "--steps", "100000000", "--final", "f.csv"],
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    deadline = time.time() + PATIENCE
    while not leftovers() and time.time() < deadline:
        time.sleep(0.05)
    program.kill()
    program.wait()
    assert leftovers(), "nothing to sweep was left"
    assert run(*STILL, "-o", "x.png").code == 0
    assert not leftovers(), leftovers()


# Files.

@case
def what_is_lost_is_said():
    assert run("run", "charges", "-n", 200, "--steps", 0, "--final", "c.hdf5").code == 0
    for target, words in (("c.csv", ("seed", "settings")), ("c.tab", ("responses",)), ("c.tipsy", ("32-bit", "responses"))):
        result = run("convert", "c.hdf5", target)
        assert result.code == 0, result.err
        for word in words:
            assert word in result.err, (target, word, result.err)


@case
def charges_go_there_and_back():
    assert run("run", "charges", "-n", 200, "--steps", 0, "--final", "c.hdf5", "--csv", "e.csv").code == 0
    kinetic = float(open("e.csv").read().splitlines()[1].split(",")[2])
    assert abs(info("c.hdf5")["kinetic_energy"] - kinetic) < 1e-12 * abs(kinetic)
    assert run("convert", "c.hdf5", "c.csv").code == 0
    assert abs(info("c.csv")["kinetic_energy"] - kinetic) < 1e-12 * abs(kinetic)
    assert run("run", "c.csv", "--law", "coulomb", "--steps", 1, "--dt", "1e-3").code == 0
    one_sentence(run("run", "c.csv", "--steps", 1, "--dt", "1e-3"), 3)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def picture(*between):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(between) + pixels + chunk(b"IEND", b"")


@case
def small_pictures_do_not_take_all_memory():
    packed = zlib.compress(b"a" * 7_900_000, 9)
    text = chunk(b"iTXt", b"Key\0\1\0\0\0" + packed)
    open("many.png", "wb").write(picture(*[text] * 200))
    claims = struct.pack(">I", 2**31 - 1) + b"iTXt" + b"Key\0" + b"x" * 1000
    open("claims.png", "wb").write(picture()[:33] + claims)
    for file in ("many.png", "claims.png"):
        result = run("run", file, "--steps", 1)
        assert result.code == 3, (file, result.code, result.err)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        assert most < 700, f"{file}: {most} MiB"


@case
def a_file_that_changes_meanwhile_is_the_one_that_was_checked():
    assert run("run", "six-body", "--steps", 1, "--final", "s.hdf5").code == 0
    good = open("s.hdf5", "rb").read()
    assert run("run", "figure-eight", "--steps", 1, "--final", "other.hdf5").code == 0
    other = open("other.hdf5", "rb").read()
    stop = time.time() + 4
    writer = os.fork()
    if writer == 0:
        while time.time() < stop:
            for content in (good, other):
                with open("s.tmp", "wb") as file:
                    file.write(content)
                os.rename("s.tmp", "s.hdf5")
                time.sleep(0.03)
        os._exit(0)
    try:
        while time.time() < stop:
            result = run("info", "s.hdf5")
            assert result.code == 0, result.err
    finally:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)


# Environment.

@case
def a_temporary_folder_that_is_gone_stops_no_film():
    result = run("render", "six-body", "--frames", 2, "--size", "64x64", "-o", "f.mp4", env={"TMPDIR": "/not/there"})
    assert result.code == 0 or "install ffmpeg" in result.err, result.err


@case(long=True)
def an_encoder_that_hangs_is_ended():
    os.mkdir("bin")
    with open("bin/ffmpeg", "w") as file:
        file.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod("bin/ffmpeg", 0o755)
    begun = time.time()
    result = run("render", "six-body", "--frames", 4000, "--size", "640x480", "-o", "f.mp4",
                 env={"PATH": os.getcwd() + "/bin:" + os.environ["PATH"]}, patience=600)
    assert result.code == 6, result.err
    assert time.time() - begun < 500


def main():
    global BINARY
    words = sys.argv[1:]
    if not words:
        sys.exit(__doc__)
    BINARY = os.path.abspath(words.pop(0))
    everything = "--all" in words
    names = [word for word in words if not word.startswith("--")]
    for name in names:
        if name not in [row[0] for row in CASES]:
            sys.exit(f"hostile.py: there is no case {name!r}; there are: " + ", ".join(row[0] for row in CASES))
    passed = failed = 0
    here = os.getcwd()
    for name, function, long in CASES:
        if (names and name not in names) or (not names and long and not everything):
            continue
        with tempfile.TemporaryDirectory(prefix="gravlab-hostile-") as folder:
            os.chdir(folder)
            os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
            try:
                function()
                passed += 1
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {name}: {error}", flush=True)
            finally:
                os.chdir(here)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
