#!/usr/bin/env python3
"""Attacks on the program from outside: closed streams, links, pipes, limits, signals, damaged files.

    hostile.py BINARY               the short part, as ./test runs it
    hostile.py BINARY --all         all of it: a quarter of an hour
    hostile.py BINARY NAME...       the cases of these names
    ... --jobs N                    N cases at a time: many of them wait more than they compute

Each case is a function that raises AssertionError when a promise is broken. Needs Python's standard library; cases that make
foreign HDF5 files need h5py (Debian: python3-h5py) and say so when it is missing.
Rule: a case makes its files in a folder of its own and leaves no process behind.
"""
import gzip
import json
import math
import multiprocessing
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
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


@case
def names_of_streams_are_written_straight():
    if not os.path.exists("/dev/fd"):
        return
    result = run("run", "six-body", "--steps", 2, "--csv", "/dev/stdout")
    assert result.code == 0 and result.out.startswith("step,time"), (result.code, result.err)
    reader, writer = os.pipe()
    done = subprocess.run([BINARY, "run", "six-body", "--steps", "2", "--final", f"/dev/fd/{writer}"], pass_fds=(writer,),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    os.close(writer)
    with os.fdopen(reader) as file:
        assert done.returncode == 0 and file.read().count("\n") >= 7, done.stderr


@case
def what_is_read_is_not_replaced():
    saved("x.hdf5")
    assert run("convert", "x.hdf5", "x.csv").code == 0
    assert run(*STILL, "-o", "p.png").code == 0
    shutil.copy("x.hdf5", "n_0003.hdf5")
    shutil.copy("x.hdf5", "c_prev.hdf5")
    shutil.copy("p.png", "p_02.png")
    open("s.toml", "w").write('file = "x.csv"\n')
    open("script", "w").write("wait run.step >= 1\n")
    open("lesson.toml", "w").write("title = 'x'\n")
    os.mkdir("folder")
    os.symlink("x.hdf5", "link.hdf5")
    os.symlink("../x.csv", "folder/data.csv")
    os.symlink("lesson.toml", "page.html")
    os.link("x.hdf5", "hard.hdf5")
    before = {name: open(name, "rb").read() for name in os.listdir(".") if os.path.isfile(name)}
    step = ("--steps", 1)
    for command in (("run", "x.hdf5", *step, "--csv", "x.hdf5"), ("run", "x.hdf5", *step, "--csv", "./folder/../x.hdf5"),
                    ("run", "x.hdf5", *step, "--final", "link.hdf5"), ("run", "link.hdf5", *step, "--final", "x.hdf5"),
                    ("run", "x.hdf5", *step, "--final", "hard.hdf5"), ("run", "x.hdf5", *step, "--csv", os.path.abspath("x.hdf5")),
                    ("run", "n_0003.hdf5", *step, "--snapshot-every", 1, "--snapshots", "n_%04d.hdf5"),
                    ("run", "c_prev.hdf5", *step, "--checkpoint", "c.hdf5"),
                    ("run", "s.toml", *step, "--csv", "x.csv"), ("run", "s.toml", *step, "--final", "folder/data.csv"),
                    ("run", "s.toml", *step, "--csv", "s.toml"), ("run", "p.png", *step, "--csv", "p.png"),
                    ("render", "p.png", "--frames", 1, "-o", "./p.png"), ("render", "p_02.png", "--frames", 3, "-o", "p_%02d.png"),
                    ("view", "p.png", "--frames", 1, "--screenshot", "p.png"),
                    ("convert", "x.csv", "folder/data.csv"), ("convert", "x.hdf5", "hard.hdf5"),
                    ("lesson", "lesson.toml", "--worksheet", "page.html")):
        result = run(*command)
        one_sentence(result, 2)
        assert "which is read" in result.err, (command, result.err)
        assert before == {name: open(name, "rb").read() for name in os.listdir(".") if os.path.isfile(name)}, command
    assert run("run", "x.hdf5", *step, "--checkpoint", "x.hdf5").code == 0, "a checkpoint goes on in its own file"


def halves():
    """One snapshot in two files of four bodies each, as other programs write them: the program's own files whose headers say
    so, without the group that makes them its own and without their seal."""
    for part in range(2):
        with open("part.csv", "w") as file:
            file.write("id,m,x,y,z,vx,vy,vz\n" + "".join(f"{i},1,{i},{i + 1},{i + 2},0,0,0\n" for i in range(4 * part, 4 * part + 4)))
        assert run("convert", "part.csv", "part.hdf5").code == 0
        bytes_ = bytearray(open("part.hdf5", "rb").read()[:-24])
        # Of an attribute: name, type and shape, each in whole words of 8 bytes, then its numbers.
        for name, shape, index, value in (("NumFilesPerSnapshot", 8, 0, 2), ("NumPart_Total", 24, 1, 8)):
            padded = (len(name) + 8) // 8 * 8
            at = bytes_.index(name.encode() + b"\0") + padded + 16 + shape + 4 * index
            bytes_[at:at + 4] = struct.pack("<I", value)
        open(f"snap.{part}.hdf5", "wb").write(bytes_.replace(b"Gravlab\0", b"Gravlax\0"))
    os.remove("part.csv")
    os.remove("part.hdf5")


@case
def a_part_that_is_another_part_is_refused():
    halves()
    assert info("snap.1.hdf5")["bodies"] == 8
    os.remove("snap.1.hdf5")
    os.symlink("snap.0.hdf5", "snap.1.hdf5")
    for name in ("snap.0.hdf5", "snap.1.hdf5"):
        one_sentence(run("info", name), 3)
        assert "has the bodies of another file of its snapshot" in run("info", name).err


@case
def parts_of_a_snapshot_are_not_replaced():
    halves()
    open("s.toml", "w").write('file = "snap.0.hdf5"\n')
    os.symlink("snap.1.hdf5", "link.hdf5")
    os.link("snap.1.hdf5", "hard.csv")
    open("save.txt", "w").write("do save snap.1.hdf5\n")
    held = os.listdir(".")
    before = {name: open(name, "rb").read() for name in held}
    assert info("snap.0.hdf5")["bodies"] == 8
    step = ("--steps", 1, "--dt", 1e-3, "--softening", 1)
    for command in (("run", "snap.0.hdf5", *step, "--final", "snap.1.hdf5"), ("run", "snap.0.hdf5", *step, "--final", "link.hdf5"),
                    ("run", "snap.1.hdf5", *step, "--csv", "snap.0.hdf5"), ("run", "snap.0.hdf5", *step, "--csv", "hard.csv"),
                    ("run", "s.toml", *step, "--final", "snap.1.hdf5"), ("convert", "snap.0.hdf5", "snap.1.hdf5"),
                    ("convert", "snap.0.hdf5", "hard.csv"), ("groups", "snap.0.hdf5", "-o", "hard.csv"),
                    ("render", "snap.0.hdf5", "--frames", 1, "--size", "64x64", "-o", "snap.1.hdf5.png"),
                    ("play", "save.txt", "snap.0.hdf5")):
        if command[0] == "render":
            os.link("snap.1.hdf5", "snap.1.hdf5.png")
        result = run(*command)
        if command[0] == "render":
            os.remove("snap.1.hdf5.png")
        assert result.code == 2 and "which is read" in result.err + result.out, (command, result.code, result.err, result.out)
        assert before == {name: open(name, "rb").read() for name in held}, command
    assert run("run", "snap.0.hdf5", *step, "--final", "snap.2.hdf5").code == 0, "which is none of them"


@case
def scripts_do_not_replace_what_they_read():
    assert run("run", "two-body", "--steps", 1, "--final", "dat.csv").code == 0
    open("sc.toml", "w").write('scene = "two-body"\n')
    open("other.toml", "w").write('file = "dat.csv"\n')
    os.symlink("dat.csv", "link.csv")
    os.link("sc.toml", "hard.toml")
    shutil.copy("dat.csv", "k_prev.csv")
    for lines, more in ((["do save dat.csv"], ["dat.csv"]), (["do save link.csv"], ["dat.csv"]), (["do save dat.csv"], ["link.csv"]),
                        (["do save w.txt.csv"], ["two-body"]), (["do save-scene sc.toml"], ["sc.toml"]),
                        (["do save-scene hard.toml"], ["sc.toml"]), (["do save dat.csv"], ["other.toml"]),
                        (["do save-scene other.toml"], ["other.toml"]), (["open dat.csv", "do save ./link.csv"], ["two-body"]),
                        (["open other.toml", "open two-body", "do save-scene other.toml"], ["two-body"]),
                        (["do save k.csv", "do save k.csv"], ["k_prev.csv"]), (["do own-save w.txt.csv"], ["two-body"])):
        script = "w.txt.csv"
        open(script, "w").write("do own-begin tiled\n" * ("own-save" in lines[-1]) + "".join(line + "\n" for line in lines))
        held = ["dat.csv", "sc.toml", "other.toml", "k_prev.csv", script]
        before = {name: open(name, "rb").read() for name in held}
        result = run("play", script, *more)
        assert result.code == 2, (lines, more, result.code, result.out, result.err)
        last = json.loads(result.out.splitlines()[-1])
        assert last["status"] == "refused" and "which is read" in last["why"], (lines, more, last)
        assert before == {name: open(name, "rb").read() for name in held}, lines
        if os.path.exists("k.csv"):
            os.remove("k.csv")
    with open("in.csv", "w") as file:
        file.write("do save in.csv\n")
    with open("in.csv") as file:
        assert run("play", "-", "two-body", stdin=file).code == 2
    assert open("in.csv").read() == "do save in.csv\n"
    # What it has written itself it may write again.
    open("again.txt", "w").write("do save a.csv\nopen a.csv\ndo drop-star\ndo save a.csv\nopen a.csv\nexpect run.bodies == 3\n")
    again = run("play", "again.txt", "two-body")
    assert again.code == 0, again.out


@case
def a_script_that_is_no_file_is_refused_at_once():
    os.mkfifo("f.txt")
    os.mkdir("folder")
    for name in ("f.txt", "/dev/zero", "/dev/null", "folder", "nothing"):
        one_sentence(run("play", name, "two-body", patience=20), 3)
    # The standard input may be anything, and a first signal is heard.
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        with open("/dev/zero", "rb") as zeros:
            program = subprocess.Popen([BINARY, "play", "-", "two-body"], stdin=zeros, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                program.stderr.readline()  # what it runs on: it has begun
                program.send_signal(number)
                _, err = program.communicate(timeout=PATIENCE)
            finally:
                program.kill()
        assert program.returncode == code, (program.returncode, err)


@case
def a_film_that_is_cancelled_holds_no_frame():
    server, where = display()
    if not server or not shutil.which("ffmpeg"):
        return
    # This encoder takes the first bytes and nothing more, until it is let go.
    hangs = with_ffmpeg(f'case "$*" in *-encoders*|*null*) exec {shutil.which("ffmpeg")} "$@";; esac; echo $$ > pid; '
                        'while [ ! -e release ]; do sleep 0.1; done; exit 1')
    script = subprocess.Popen([BINARY, "play", "-", "two-body", "--window", "--size", "640x480"], env={**os.environ, **where, **hangs},
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(line):
        script.stdin.write(line + "\n")
        script.stdin.flush()
        return json.loads(script.stdout.readline())

    try:
        assert ask("set film.encoder h264")["status"] == "applied"
        assert ask("do record on")["status"] == "applied"
        assert ask(f"wait film.frames >= 3 within {PATIENCE}")["status"] == "applied"
        deadline, pid = time.time() + PATIENCE, ""
        while not pid and time.time() < deadline:  # frames wait in a pipe until the encoder has begun
            time.sleep(0.02)
            pid = open("pid").read().strip() if os.path.exists("pid") else ""
        assert ask("nowait do cancel-film")["status"] == "running"
        assert ask("expect film.recording == false")["status"] == "applied"
        assert pid and os.path.exists(f"/proc/{pid}"), "the frame has waited for the encoder"
        open("release", "w").close()
        last = json.loads(script.stdout.readline())
        assert last["line"] == 4 and last["status"] == "applied", last
    finally:
        open("release", "w").close()
        script.stdin.close()
        try:
            script.wait(timeout=PATIENCE)
        finally:
            script.kill()
            server.kill()
            server.wait()
    assert script.returncode == 0, script.stderr.read()


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
        time.sleep(0.5)
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


@case
def charges_are_charges_under_charges_only():
    assert run("run", "charges", "-n", 200, "--steps", 0, "--final", "c.hdf5").code == 0
    for law in ("gravity", "power-law", "lennard-jones"):
        one_sentence(run("run", "c.hdf5", "--law", law, "--steps", 1), 3)
    assert run("convert", "c.hdf5", "c.tab").code == 0
    assert "does not say" in str(info("c.tab").get("notes")), "masses are made up and nothing is said"


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

def with_ffmpeg(script):
    """An environment in which ffmpeg is this shell script."""
    os.makedirs("bin", exist_ok=True)
    with open("bin/ffmpeg", "w") as file:
        file.write("#!/bin/sh\n" + script + "\n")
    os.chmod("bin/ffmpeg", 0o755)
    return {"PATH": os.getcwd() + "/bin:" + os.environ["PATH"]}


def interrupted(arguments, number, env, after=3.0):
    """Starts the program, signals it and gives its exit code and how long it took to end [s]."""
    program = subprocess.Popen([BINARY, *arguments], env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    program.send_signal(number)
    begun = time.time()
    try:
        return program.wait(timeout=PATIENCE), time.time() - begun
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()


@case
def an_encoder_that_hangs_does_not_hold_the_program():
    hangs = with_ffmpeg("exec sleep 1000")
    listed = run("list", "encoders", env=hangs, patience=60)
    assert listed.code == 0 and "does not answer" in listed.out, (listed.code, listed.out[-300:])
    code, seconds = interrupted(("render", *STILL[1:], "-o", "f.mp4"), signal.SIGINT, hangs, 1.0)
    assert code == 130 and seconds < 30, (code, seconds)
    if not shutil.which("ffmpeg"):
        return
    reads_nothing = with_ffmpeg(f'case "$*" in *-encoders*) exec {shutil.which("ffmpeg")} "$@";; esac; exec sleep 1000')
    for frames in ("4000", "2"):
        for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            code, seconds = interrupted(("render", "six-body", "--frames", frames, "--size", "320x200", "-o", "f.mp4"), number,
                                        reads_nothing)
            assert code == expected and seconds < 30, (frames, code, seconds)
    assert not os.path.exists("f.mp4") and not leftovers()


def display():
    """A display server of one's own and the environment that leads to it; nothing where there is no Xvfb."""
    if not shutil.which("Xvfb"):
        print("  left out: needs Xvfb", flush=True)
        return None, {}
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
                              pass_fds=(writer,), stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as answers:
        number = answers.readline().strip()
    return server, {"DISPLAY": ":" + number, "WAYLAND_DISPLAY": ""}


def frame_of(status):
    """How many frames a window has drawn."""
    try:
        return json.load(open(status))["frame"]
    except (OSError, ValueError):
        return 0


@case
def a_display_that_goes_away_saves_the_run():
    server, where = display()
    if not server:
        return
    program = subprocess.Popen([BINARY, "view", "six-body", "--no-config"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env={**os.environ, **where, "GRAVLAB_STATUS_FILE": "status.json"}, stderr=subprocess.PIPE)
    deadline = time.time() + PATIENCE
    while frame_of("status.json") < 5 and time.time() < deadline:
        time.sleep(0.05)
    server.kill()
    server.wait()
    try:
        _, err = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
    assert program.returncode == 4, (program.returncode, err)
    assert b"the display server went away" in err, err
    saved_in = re.search(rb"continue with: gravlab (\S+)", err)
    assert saved_in and info(saved_in.group(1).decode())["checkpoint"], err


class Relay(threading.Thread):
    """A display that passes everything on to another one, and counts the answers to what a program asked: each is a wait."""

    def __init__(self, display_):
        super().__init__(daemon=True)
        self.answers = 0
        self.to = f"/tmp/.X11-unix/X{display_}"
        self.number = next(n for n in range(display_ + 500, display_ + 600) if not os.path.exists(f"/tmp/.X11-unix/X{n}"))
        self.place = f"/tmp/.X11-unix/X{self.number}"
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.place)
        self.listening.listen()

    def run(self):
        ends = {}  # each socket's other end, and what is not yet a whole answer of it
        while True:
            for one in select.select([self.listening, *ends], [], [])[0]:
                if one is self.listening:
                    program, _ = one.accept()
                    server = socket.socket(socket.AF_UNIX)
                    server.connect(self.to)
                    ends[program], ends[server] = (server, None), (program, [b"", True])
                    continue
                other, pending = ends[one]
                bytes_ = one.recv(1 << 16)
                if not bytes_:
                    for end in (one, other):
                        ends.pop(end)
                        end.close()
                    break
                other.sendall(bytes_)
                if pending is not None:
                    self.count(pending, bytes_)

    def count(self, pending, bytes_):
        """The first answer of a display is that to the connection itself; others, events and errors have 32 bytes at least."""
        rest = pending[0] + bytes_
        while len(rest) >= (8 if pending[1] else 32):
            more = 8 + 4 * struct.unpack_from("<H", rest, 6)[0] if pending[1] else 32
            if not pending[1] and rest[0] in (1, 35):
                more += 4 * struct.unpack_from("<I", rest, 4)[0]
            if len(rest) < more:
                break
            self.answers += not pending[1] and rest[0] == 1
            pending[1] = False
            rest = rest[more:]
        pending[0] = rest


@case
def a_window_seldom_waits_for_its_display():
    server, where = display()
    if not server:
        return
    relay = Relay(int(where["DISPLAY"][1:]))
    relay.start()
    program = subprocess.Popen([BINARY, "view", "two-body", "--backend", "reference", "--no-config", "--no-welcome", "--size", "320x200"],
                               env={**os.environ, **where, "DISPLAY": f":{relay.number}", "GRAVLAB_STATUS_FILE": "status.json"},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.time() + PATIENCE
        while frame_of("status.json") < 60 and time.time() < deadline:
            time.sleep(0.05)
        first, answers, begun = frame_of("status.json"), relay.answers, time.time()
        while frame_of("status.json") < first + 80 and time.time() < deadline:
            time.sleep(0.05)
        frames, asked, seconds = frame_of("status.json") - first, relay.answers - answers, time.time() - begun
    finally:
        program.kill()
        program.wait()
        server.kill()
        server.wait()
        os.remove(relay.place)
    assert frames >= 40, "the window stands still"
    # Mesa's software asks twice a frame: for the size of what it draws into, and whether it was drawn.
    assert asked <= 2 * frames + 20 * seconds, (asked, frames, seconds)


@case
def threads_that_are_refused_stop_no_run():
    for stack in ("1000G", "9999999999G", "x", "-1", "99999999999999G"):
        result = run("run", "plummer", "-n", 600, "--backend", "cpu", "--kernel", "openmp", "--steps", 1, env={"OMP_STACKSIZE": stack})
        assert result.code == 0, (stack, result.code, result.err)
    for megabytes in (60, 100, 200, 400):
        result = run("run", "plummer", "-n", 600, "--backend", "cpu", "--threads", 64, "--steps", 1,
                     limits={resource.RLIMIT_AS: megabytes << 20})
        assert result.code in (0, 5), (megabytes, result.code, result.err)
        if result.code:
            one_sentence(result, 5)


@case
def a_missing_folder_is_found_before_the_work():
    for more in (("--snapshot-every", 500000000, "--snapshots", "gone/%d.csv"), ("--checkpoint", "gone/c.hdf5"), ("--final", "gone/f.csv"),
                 ("--csv", "gone/e.csv")):
        one_sentence(run("run", "six-body", "--steps", 1000000000, *more, patience=30), 6)


@case
def a_temporary_folder_that_is_gone_stops_no_film():
    result = run("render", "six-body", "--frames", 2, "--size", "64x64", "-o", "f.mp4", env={"TMPDIR": "/not/there"})
    assert result.code == 0 or "install ffmpeg" in result.err, result.err


@case(long=True)
def an_encoder_that_hangs_is_ended():
    if not shutil.which("ffmpeg"):
        return
    env = with_ffmpeg(f'case "$*" in *-encoders*) exec {shutil.which("ffmpeg")} "$@";; esac; exec sleep 1000')
    begun = time.time()
    result = run("render", "six-body", "--frames", 4000, "--size", "640x480", "-o", "f.mp4",
                 env=env, patience=600)
    assert result.code == 6, result.err
    assert time.time() - begun < 500


# Tables, special files, Tipsy.

def sound(*arguments, codes=(0, 2, 3), **more):
    """Runs the program and holds it to what it must do with any input."""
    result = run(*arguments, **more)
    assert result.code in codes, f"exit {result.code}: {arguments} {result.err[:300]}"
    assert "\x1b" not in result.out + result.err, f"an escape sequence: {arguments}"
    if result.code != 0:
        one_sentence(result, result.code)
    return result


TABLES = [  # text, what it must come to: the number of bodies, or None for a refusal
    ("", None), ("\n\n", None), ("# only a remark\n", None), ("x,y,z,m\n", None), ("x,y,z,m\n1,2,3,4\n", 1),
    ("x,y,z,m\n1,2,3\n", None), ("x,y,z,m\n1,2,3,4,5\n", None), ("x,y,z,m\n1,2,3,nan\n", None), ("x,y,z,m\n1,2,inf,4\n", None),
    ("x,y,z,m\n1,2,3,1e999\n", None), ("x,y,z,m\n1,2,3,-1\n", 1), ("x,y,z,m\n1,2,3,0x10\n", None),
    ("x,y,z,m\n1,2,3,4", None), ("x;y;z;m\n1;2;3;4\n", 1), ("x y z m\n1 2 3 4\n", 1), ("x,y,z\n1,2,3\n", None),
    ("x,x,z,m\n1,2,3,4\n", None), ("m,x,y,z,vx\n1,2,3,4,5\n", None), ("1 2 3 4 5 6 7\n", 1), ("1 2 3 4 5 6\n", None),
    ("# Note: m x y z are in\n1 2 3 4 5 6 7\n", None), ("m,x,y,z,vx,vy,vz\nM,m,m,m,m/s,m/s,m/s\n1,1,1,1,1,1,1\n", None),
    ("id,x,y,z,m\n-1,1,2,3,4\n", None), ("id,x,y,z,m\n1.5,1,2,3,4\n", None), ("group,x,y,z,m\n256,1,2,3,4\n", None),
    ("x,y,z,m\r\n1,2,3,4\r\n", 1), ("\ufeffx,y,z,m\n1,2,3,4\n", 1), ("x,y,z,m\n1,2,3,\x004\n", None), ("x" * 70000 + "\n", None),
    ("x,y,z,m\n" + "," * 300 + "\n", None), ("x,y,z,m\n1,2,3,1d0\n", 1), ("x,y,z,m\n1,2,3,+4\n", 1), ("x,y,z,m\n1,2,3,1_0\n", None),
    ("x,y,z,m\n1,2,3,\x1b[2J\n", None), ("x\x1b[2J,y,z,m\n1,2,3,4\n", None),
]


@case
def tables_are_right_or_refused():
    for number, (text, bodies) in enumerate(TABLES):
        with open("t.csv", "w", newline="") as file:
            file.write(text)
        result = sound("info", "t.csv", "--json")
        assert (result.code == 0) == (bodies is not None), (number, text[:60], result.code, result.err)
        if bodies is not None:
            assert json.loads(result.out)["bodies"] == bodies, (number, text[:60])


@case
def special_files_are_refused_at_once():
    os.mkdir("folder.csv")
    os.mkfifo("pipe.csv")
    os.symlink("loop.csv", "loop.csv")
    os.symlink("nowhere", "dangling.csv")
    for name in ("folder.csv", "pipe.csv", "loop.csv", "dangling.csv", "/dev/null", "/dev/zero", "/proc/self/mem", ""):
        for command in (("info", name), ("run", name, "--steps", 1), ("convert", name, "o.csv")):
            sound(*command, codes=(2, 3, 6), patience=20)


def tipsy(bodies, claimed=None, dark=0, tail=b""):
    header = struct.pack(">diiiiii", 0.5, len(bodies) if claimed is None else claimed, 3, 0, dark,
                         (len(bodies) if claimed is None else claimed) - dark, 0)
    return header + b"".join(struct.pack(">11f", *body, 0, 0, 0, 0) for body in bodies) + tail


@case
def tipsy_files_that_lie_are_refused():
    body = (1, 2, 3, 4, 5, 6, 7)
    for bytes_, good in ((tipsy([body]), True), (tipsy([body], 2), False), (tipsy([body], -1), False), (tipsy([body], 2**31 - 1), False),
                         (tipsy([body]) + b"more", False), (tipsy([(math.nan,) * 7]), False), (tipsy([(-1, 0, 0, 0, 0, 0, 0)]), True),
                         (tipsy([body])[:40], False), (b"", False)):
        open("t.tipsy", "wb").write(bytes_)
        result = sound("info", "t.tipsy")
        assert (result.code == 0) == good, (len(bytes_), result.code, result.err)


def gadget(bodies, claimed=None, named=True, order="<", files=1):
    counts = (0, bodies if claimed is None else claimed, 0, 0, 0, 0)
    head = struct.pack(order + "6i6ddd2i6i2i4d", *counts, *(6 * (0.0,)), 0.5, 0.0, 0, 0, *counts, 0, files, 0.0, 0.0, 0.0, 1.0)
    parts = (b"HEAD", head.ljust(256, b"\0")), (b"POS ", struct.pack(order + "3f", 1, 2, 3) * bodies), \
        (b"VEL ", struct.pack(order + "3f", 4, 5, 6) * bodies), (b"ID  ", struct.pack(order + "%di" % bodies, *range(bodies))), \
        (b"MASS", struct.pack(order + "f", 7) * bodies)
    text = b""
    for name, data in parts:
        mark = struct.pack(order + "i", len(data))
        text += (struct.pack(order + "i4sii", 8, name, len(data) + 8, 8) if named else b"") + mark + data + mark
    return text


@case
def gadget_binaries_that_lie_are_refused():
    """Cut at any place, with counts of billions, with a part of several files: refused at once, without taking memory."""
    cases = [(gadget(3, named=named, order=order), True) for named in (True, False) for order in "<>"]
    whole = gadget(3)
    cases += [(whole[:cut], False) for cut in (3, 8, 40, 280, 300, 350, 400, len(whole) - 5, len(whole) - 1)]
    cases += [(gadget(3, claimed), False) for claimed in (4, 2, -1, 2**31 - 1)]
    cases += [(gadget(3, files=2), False), (gadget(0), False), (gadget(3, named=False)[:264], False)]
    for bytes_, good in cases:
        open("t.gadget", "wb").write(bytes_)
        result = sound("info", "t.gadget", patience=20)
        assert (result.code == 0) == good, (len(bytes_), result.code, result.err)
    for part in ("x", ":", "1:2,3:4", "2:1,:,:", ":,:,:,:", "nan:,:,:", "1:1e999,:,:"):
        sound("info", "t.gadget", "--region", part, codes=(2,))


@case
def any_folder_of_kernels_is_graded():
    """Pipes, folders, links and files that are no text are rows of the table, with formulas in their names."""
    os.mkdir("work")
    os.mkfifo("work/pipe.cu")
    os.mkdir("work/folder.cu")
    os.symlink("nowhere", "work/dangling.cu")
    os.symlink("loop.cu", "work/loop.cu")
    open("work/=cmd()|<script>.cu", "w").write("int x = y;\n")
    open("work/zero.cu", "wb").write(b"\0" * 100)
    open("work/large.cu", "wb").write(b"// " * (1 << 19))
    open("work/notes.txt", "w").write("no kernel")
    result = sound("grade", "work", "-n", 100, "--csv", "t.csv", codes=(0, 4), patience=120)
    if "NVRTC" not in result.err:
        table = open("t.csv").read()
        for name in ("pipe.cu", "folder.cu", "dangling.cu", "loop.cu", "./=cmd()|<script>.cu", "zero.cu", "large.cu"):
            assert f"\n{name},errors," in table, (name, table)
        assert "notes" not in table
    sound("grade", "work", "--csv", "work/zero.cu", codes=(2,))
    sound("grade", "work", "--csv", "no/such/t.csv", codes=(6,))
    sound("grade", "t.csv", codes=(3, 4, 6))


@case
def orbits_that_lie_are_refused():
    line = ("00001    3.33  0.15 K232P  17.21569   73.47045   80.26014   10.58634  0.0788175  0.21411523   2.7671817  0 MPO719049"
            "  7283 123 1801-2023 0.65 M-v 30k MPCLINUX   4000      (1) Ceres              20230321\n")
    horizons = "*" * 79 + "\nCenter body name: Sun (10)\nOutput units    : AU-D\n$$SOE\n2460000.5, A.D., 1, 2, 3, 4, 5, 6,\n$$EOE\n"
    cases = [(line, True), (line * 3, True), (line[:-1], False), (line[:90] + "\n", False), (line + line[:50] + "\n", False),
             (line.replace("0.0788175", "1e999    "), False), (line.replace("0.0788175", "nan      "), False),
             (line.replace("  2.7671817", " -2.7671817"), False), (line.replace("17.21569", "1e300   "), None), (horizons, True),
             (horizons[:-7], False), (horizons.replace("1, 2", "inf, 2"), False), (horizons * 3, True),
             ("*" * 79 + "\n", False), ("e,i,om,w,a,ma,epoch\n" + "0.999999999999999,1,2,3,4,5,6\n", None),
             ("e,i,om,w,a,ma,epoch\n1,1,2,3,4,5,6\n", False), ("e,i,om,w,q,tp,epoch\n1e300,1,2,3,1e-300,5,6\n", None)]
    for text, good in cases:
        open("t.txt", "w").write(text)
        result = sound("info", "t.txt", patience=20)
        assert good is None or (result.code == 0) == good, (text[:90], result.code, result.err)


# HDF5 of other programs.

def h5(name, change, counts=(0, 4), **attributes):
    """Writes a Gadget-style file of four bodies, which `change` may spoil. False where h5py is missing."""
    try:
        import h5py
    except ImportError:
        print("  left out: needs h5py (Debian: python3-h5py)", flush=True)
        return False
    with h5py.File(name, "w") as file:
        header = file.create_group("Header")
        header.attrs["NumPart_ThisFile"] = list(counts)
        for key, value in attributes.items():
            header.attrs[key] = value
        halo = file.create_group("PartType1")
        halo["Coordinates"] = [[float(i + k) for k in range(3)] for i in range(4)]
        halo["Velocities"] = [[0.0] * 3] * 4
        halo["Masses"] = [1.0] * 4
        if change:
            change(file, halo)
    return True


@case
def foreign_snapshots_are_neither_clipped_nor_parts():
    def ids(file, halo):
        halo["ParticleIDs"] = [1, -5, 3, 4]

    if not h5("good.hdf5", None):
        return
    assert info("good.hdf5")["bodies"] == 4
    for number, attributes in enumerate((dict(NumFilesPerSnapshot=2), dict(NumFilesPerSnapshot=[1, 4]), dict(NumPart_Total=[0, 4000]),
                                         dict(NumFilesPerSnapshot=1.5),
                                         dict(UnitLength_in_cm=-3e21, UnitMass_in_g=2e43, UnitVelocity_in_cm_per_s=1e5))):
        h5("bad.hdf5", None, **attributes)
        assert sound("info", "bad.hdf5").code == 3, attributes
    h5("bad.hdf5", None, counts=(0, 4.7))
    assert sound("info", "bad.hdf5").code == 3
    h5("ids.hdf5", ids)
    assert "below 0" in str(info("ids.hdf5").get("notes"))
    h5("table.hdf5", None, MassTable=[0, 7.0])
    assert "MassTable" in str(info("table.hdf5").get("notes"))


@case
def own_data_is_bounded_and_named():
    rows = "m,x,y,z,vx,vy,vz,name\n1,1,0,0,0,.6,0,\"a\x7f, b\"\n1,-1,0,0,0,-.6,0,\n"
    with gzip.open("own.csv.gz", "wt") as file:
        file.write(rows)
    assert info("own.csv.gz")["bodies"] == 2
    # A thousand to one, and no body in it: neither memory nor patience may go.
    with gzip.open("bomb.csv.gz", "wb", 9) as file:
        file.write(b"m,x,y,z\n")
        for _ in range(64):
            file.write(b"#\n" * (1 << 19))
    bomb = sound("info", "bomb.csv.gz", limits={resource.RLIMIT_AS: 4 << 30})
    assert bomb.code == 3 and "200 times" in bomb.err, bomb.err
    whole = open("own.csv.gz", "rb").read()
    for cut in range(1, len(whole)):
        open("cut.csv.gz", "wb").write(whole[:cut])
        assert sound("info", "cut.csv.gz").code == 3, cut
    open("long.csv", "w").write("m,x,y,z,name\n1,0,0,0," + "n" * 10000000 + "\n")
    assert sound("info", "long.csv").code == 3
    for text, word in (('file = "own.csv.gz"\n', None), ('file = "gone\\u001b[31m.csv"\n', "not there"), ('file = "/dev/zero"\n', "device"),
                       ('file = "."\n', "folder"), ('file = "own.toml"\n', "no scene"), ('units = "galactic"\n', "file")):
        open("own.toml", "w").write(text)
        result = sound("run", "own.toml", "--steps", 1)
        assert (result.code == 0) == (word is None) and (word or "") in result.err, (text, result.err)
    back = sound("run", "own.toml.missing", "--steps", 1)
    assert back.code in (2, 3)
    assert sound("convert", "own.csv.gz", "own.hdf5").code == 0
    assert sound("convert", "own.hdf5", "back.csv").code == 0
    assert '"a?, b"' in open("back.csv").read()


# Checkpoints.

@case
def libraries_load_nothing_for_a_file():
    compiler = shutil.which("cc")
    try:
        import h5py
    except ImportError:
        print("  left out: needs h5py (Debian: python3-h5py)", flush=True)
        return
    if not compiler:
        return
    os.mkdir("plugins")
    open("p.c", "w").write('#include <stdio.h>\n__attribute__((constructor)) static void f(void) { fclose(fopen("loaded", "w")); }\n'
                           "int H5PLget_plugin_type(void) { return 0; }\nconst void *H5PLget_plugin_info(void) { return 0; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "plugins/libp.so", "p.c"], check=True)

    def filtered(file, halo):
        del halo["Masses"]
        kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        kind.set_chunk((4,))
        kind.set_filter(32099, h5py.h5z.FLAG_OPTIONAL)
        made = h5py.h5d.create(halo.id, b"Masses", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((4,)), kind)
        made.write_direct_chunk((0,), struct.pack("<4d", 1, 1, 1, 1), 0)

    h5("bad.hdf5", filtered)
    assert sound("info", "bad.hdf5", env={"HDF5_PLUGIN_PATH": os.getcwd() + "/plugins"}).code == 3
    assert not os.path.exists("loaded"), "a library was loaded"


def saved(name="s.hdf5", *more):
    result = run("run", *(more or ("figure-eight", "--integrator", "radau15", "--steps", 5)), "--final", name)
    assert result.code == 0, result.err
    return open(name, "rb").read()


@case
def changed_checkpoints_are_refused():
    good = saved()
    chance = random.Random(5)
    for _ in range(25):
        place = chance.randrange(len(good))
        spoilt = bytearray(good)
        spoilt[place] ^= 1 << chance.randrange(8)
        open("bad.hdf5", "wb").write(bytes(spoilt))
        assert sound("run", "bad.hdf5", "--steps", 1).code == 3, place
    for cut in (0, 1, 100, len(good) // 2, len(good) - 1):
        open("bad.hdf5", "wb").write(good[:cut])
        assert sound("run", "bad.hdf5", "--steps", 1).code == 3, cut


def unsealed(name, change):
    """Changes a checkpoint as its documentation allows: with its check sum deleted. False where h5py is missing."""
    try:
        import h5py
    except ImportError:
        print("  left out: needs h5py (Debian: python3-h5py)", flush=True)
        return False
    with h5py.File(name, "r+") as file:
        file["Gravlab"].attrs.pop("Sealed", None)
        change(file)
    return True


def replaced(group, name, values):
    def change(file):
        del file[group][name]
        file[group][name] = values
    return change


def attribute(name, value):
    return lambda file: file["Gravlab"].attrs.__setitem__(name, value)


@case
def states_that_do_not_fit_are_refused():
    saved("s.hdf5", "six-body", "--integrator", "radau15", "--steps", 5)
    good = open("s.hdf5", "rb").read()
    if not unsealed("s.hdf5", lambda file: None):
        return
    import h5py
    with h5py.File("s.hdf5") as file:
        state = {name: array[...] for name, array in file["Gravlab/State"].items()}
    changes = [(name, values[: len(values) // 2]) for name, values in state.items()] + [(name, values * math.nan) for name, values in state.items()]
    changes += [(name, values * 0 - 1) for name, values in state.items() if name.endswith((".step", ".solver_x", ".solver_v"))]
    changes += [(name, None) for name in state]
    for name, values in changes:
        open("s.hdf5", "wb").write(good)
        unsealed("s.hdf5", (lambda file: file["Gravlab/State"].pop(name)) if values is None else replaced("Gravlab/State", name, values))
        one_sentence(run("run", "s.hdf5", "--steps", 1, patience=30), 3)
    open("s.hdf5", "wb").write(good)
    unsealed("s.hdf5", lambda file: file["Gravlab"].pop("State"))
    result = run("run", "s.hdf5", "--steps", 1)
    assert result.code == 0 and "no state of radau15" in result.err, result.err


@case
def numbers_of_a_checkpoint_are_neither_clipped_nor_rounded():
    saved("s.hdf5", "six-body", "--steps", 3)
    good = open("s.hdf5", "rb").read()
    group = [0] * 6
    for change, code in ((attribute("Version", 1.9), 3), (attribute("Version", 2), 3), (attribute("Step", 1.5), 3), (attribute("Step", math.inf), 3),
                         (attribute("TimeStep", math.nan), 3), (replaced("PartType1", "Group", [300] + group[1:]), 3),
                         (replaced("PartType1", "Group", [-1] + group[1:]), 3), (replaced("PartType1", "Group", [1.5] + group[1:]), 3),
                         (replaced("PartType1", "ParticleIDs", [1.5, 2, 3, 4, 5, 6]), 3), (replaced("PartType1", "Masses", [-1.0] * 6), 3),
                         (replaced("PartType1", "Masses", [math.nan] * 6), 3), (replaced("PartType1", "Masses", [1.0] * 5), 3),
                         (replaced("PartType1", "Coordinates", [[0.0] * 2] * 6), 3), (replaced("PartType1", "Coordinates", [[1e999] * 3] * 6), 3),
                         (attribute("TimeStep", 0.0078), 0)):
        open("s.hdf5", "wb").write(good)
        if not unsealed("s.hdf5", change):
            return
        result = run("run", "s.hdf5", "--steps", 1)
        assert result.code == code, (result.code, result.err)
        if code == 3:
            one_sentence(result, 3)
    assert "settings" in result.err, "two time steps, and nothing is said"
    assert "settings say a time step" in str(info("s.hdf5").get("notes")), "and info says nothing"


@case
def containers_do_not_reach_outside_themselves():
    def external(file, halo):
        import h5py
        open("secret", "wb").write(b"\0" * 96)
        del halo["Coordinates"]
        halo.create_dataset("Coordinates", (4, 3), "f8", external=[("secret", 0, h5py.h5f.UNLIMITED)])

    def linked(file, halo):
        import h5py
        h5("other.hdf5", None)
        del halo["Coordinates"]
        halo["Coordinates"] = h5py.ExternalLink("other.hdf5", "/PartType1/Coordinates")

    def looping(file, halo):
        import h5py
        del halo["Coordinates"]
        halo["Coordinates"] = h5py.SoftLink("/PartType1/Coordinates")

    def virtual(file, halo):
        import h5py
        h5("other.hdf5", None)
        del halo["Coordinates"]
        layout = h5py.VirtualLayout((4, 3), "f8")
        layout[...] = h5py.VirtualSource("other.hdf5", "PartType1/Coordinates", (4, 3))
        halo.create_virtual_dataset("Coordinates", layout)

    def bomb(file, halo):
        del halo["Coordinates"]
        halo.create_dataset("Coordinates", (1 << 40, 3), "f8", chunks=(1 << 16, 3), compression="gzip")

    def text(file, halo):
        del halo["Masses"]
        halo["Masses"] = [b"\x1b[2J"] * 4

    for change in (external, linked, looping, virtual, bomb, text):
        if not h5("bad.hdf5", change):
            return
        result = sound("info", "bad.hdf5", patience=60)
        assert result.code == 3, (change.__name__, result.code)


@case
def wrong_forces_leave_what_was_there():
    # A run that goes on is not judged before it begins: its bodies are moved so far apart that single precision has no force.
    saved("w.hdf5", "plummer", "-n", 300, "--backend", "cpu", "--precision", "fp32", "--steps", 1)

    def apart(file):
        file["PartType1/Coordinates"][...] = file["PartType1/Coordinates"][...] * 1e16

    if not unsealed("w.hdf5", apart):
        return
    for name in ("end.csv", "00000.png"):
        open(name, "w").write("old")
    for words in (("run", "w.hdf5", "--steps", 3, "--final", "end.csv"), ("render", "w.hdf5", "--frames", 3, "--size", "64x64", "-o", "%05d.png"),
                  ("render", "w.hdf5", "--frames", 3, "--size", "64x64", "-o", "00000.png")):
        one_sentence(run(*words), 7)
    assert open("end.csv").read() == open("00000.png").read() == "old"
    assert not os.path.exists("00001.png") and not leftovers()
    open("script", "w").write("set run.paused false\nwait run.step >= 3\ndo save after.hdf5\n")
    played = run("play", "script", "w.hdf5")
    one_sentence(played, 7)
    assert '"failed"' in played.out and not os.path.exists("after.hdf5"), played.out
    server, where = display()
    if server:
        one_sentence(run("play", "script", "w.hdf5", "--window", env=where), 7)
        server.kill()
        server.wait()


@case
def steps_that_cannot_be_counted_are_refused():
    saved("s.hdf5", "six-body", "--steps", 10)
    open("end.csv", "w").write("old")
    one_sentence(run("run", "s.hdf5", "--steps", 2**63 - 1, "--final", "end.csv"), 2)
    assert open("end.csv").read() == "old"


@case
def a_run_in_pieces_is_the_same_run():
    whole = run("run", "plummer", "-n", 300, "--steps", 8, "--final", "-").out
    saved("a.hdf5", "plummer", "-n", 300, "--steps", 1)
    for piece in range(7):
        saved("a.hdf5" if piece % 2 else "b.hdf5", "b.hdf5" if piece % 2 else "a.hdf5", "--steps", 1)
    assert run("convert", "b.hdf5", "-").out == whole


# Scene files.

SCENES = [
    'scene = "two-body"\nscene = "disc"\n', 'scene = 5\n', 'scene = "\\u001b]0;owned\\u0007"\n', '[view]\nglow = 1e999\n', '[view]\nglow = 5\n',
    '[nothing]\n', '[view]\n[view]\n', 'seed = -1\n', 'bodies = 1e30\n', 'time_step = nan\n', 'precision = "fp16"\n', '[view]\ncolour = "\\u001b[2J"\n',
    '[camera.path]\npoints = [[0]]\n', '[twin]\nintegrator = "\\u001b[2J"\n', 'scene = "two-body\n', '= 3\n', '\x00', "\ud800", "[" * 5000 + "\n",
    'parameters = { radius = "x" }\n',
]


@case
def a_lesson_writes_no_escapes_to_a_terminal():
    """An escape in a text of a lesson is spelt out in TOML, so the file itself is printable."""
    whole = ('title = "%s"\nidea = "%s"\nminutes = 1\n[[step]]\ntitle = "%s"\ntext = "%s"\ntask = "%s"\n'
             'until = ["wait run.step >= 1 within 9"]\nexplain = "%s"\n'
             '[step.question]\ntext = "%s"\nchoices = ["%s", "b"]\nanswer = 2\nwhy = "%s"\n')
    plain = ["a"] * 9
    open("fine.toml", "w").write(whole % tuple(plain))
    fine = run("lesson", "fine.toml", "--worksheet", "-")
    assert fine.code == 0, fine.err
    for escape in ("\\u001b]0;owned\\u0007\\u001b[2J", "\\u009b2J", "\\u0007", "\\u061c", "\\u202e", "\\u0000", "\\r"):
        for place in range(9):
            texts = list(plain)
            texts[place] = escape
            open("sharp.toml", "w").write(whole % tuple(texts))
            for arguments in (("lesson", "sharp.toml"), ("lesson", "sharp.toml", "--worksheet", "page.html")):
                result = run(*arguments)
                one_sentence(result, 3)
                assert "sharp.toml, line" in result.err, result.err
                assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u202e]", result.out + result.err), repr(result.err)
            assert not os.path.exists("page.html")


@case
def marks_of_direction_in_names_reach_no_terminal():
    open("named.csv", "w").write("m,x,y,z,vx,vy,vz,name\n1,0,0,0,0,0,0,a\u061cb\n1,1,0,0,0,0,0,b\n")
    result = run("info", "named.csv")
    assert "\u061c" not in result.out + result.err, result.out
    result = run("run", "no\u061cfile.csv", "--steps", "1")
    assert result.code != 0 and "\u061c" not in result.err, result.err


@case
def a_lesson_with_an_empty_list_of_choices_is_refused():
    open("empty.toml", "w").write('title = "a"\nidea = "a"\n[[step]]\ntitle = "a"\n[step.question]\ntext = "a"\n'
                                  'choices = []\nanswer = 1\n')
    result = run("lesson", "empty.toml")
    one_sentence(result, 3)
    assert "line 7" in result.err and "choices" in result.err, result.err


@case
def what_a_scene_file_says_of_its_columns_is_refused_with_its_line():
    open("b.csv", "w").write("1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
    for columns in ("q", "m,x,y", "x,x,y,z,m", "m,x,y,z,vx"):
        open("c.toml", "w").write('file = "b.csv"\ncolumns = "%s"\n' % columns)
        result = run("run", "c.toml", "--steps", "1")
        one_sentence(result, 3)
        assert "c.toml, line 2: columns: " in result.err and "--columns" not in result.err, result.err


@case
def names_that_a_scene_file_cannot_mean_are_refused():
    """A shell's home and addresses are not followed, and a file of the same name beside is not taken for them."""
    open("d.csv", "w").write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
    for name in ("~/d.csv", "http://x/d.csv", "file:///tmp/d.csv", "~root/d.csv"):
        open("h.toml", "w").write('file = "%s"\n' % name)
        result = run("run", "h.toml", "--steps", "1")
        one_sentence(result, 3)
        assert "h.toml, line 1" in result.err and "as it is written" in result.err, result.err


@case
def bad_scene_files_are_refused():
    for text in SCENES:
        open("s.toml", "wb").write(text.encode("utf-8", "surrogatepass"))
        assert sound("run", "s.toml", "--steps", 1).code in (2, 3), text


# The command line.

ODD = ("", "-1", "0", "1e999", "nan", "-0", "99999999999999999999", "0x10", "1,5", "\x1b[2J", "%s%n", "/", "-", "a" * 5000, "..", "\u00fc")


def options_of(command):
    return sorted(set(re.findall(r"(?<![\w-])--[A-Za-z][\w-]*", run(command, "--help").out)) - {"--help", "--version", "--window", "--ui"})


def try_options(values, every):
    words = {"run": ("six-body", "--steps", "1"), "render": ("six-body", "-o", "x.png", "--frames", "1", "--size", "16x16"),
             "fingerprint": ("six-body",), "info": ("t.csv",), "convert": ("t.csv", "o.csv"), "list": ("scenes",), "groups": ("t.csv",), "matrix": ("six-body", "-o", "m.csv"), "occupancy": (), "memory": (), "lesson": ("order",)}
    for command, more in words.items():
        for number, option in enumerate(options_of(command)):
            for k, value in enumerate(values):
                if (number + k) % every == 0:
                    open("t.csv", "w").write("x,y,z,m\n1,2,3,4\n")
                    sound(command, *more, option, value, codes=(0, 2, 3, 4, 5, 6, 7), patience=60)


@case
def options_with_odd_values_are_sentences():
    try_options(ODD, 23)


@case(long=True)
def every_option_with_every_odd_value_is_a_sentence():
    try_options(ODD, 1)


@case
def what_does_nothing_is_refused():
    open("t.csv", "w").write("x,y,z,m\n1,2,3,4\n2,2,2,1\n")
    for words in (("six-body", "--G", 5), ("six-body", "--units", "si"), ("six-body", "--columns", "x"), ("six-body", "--sanitize"),
                  ("t.csv", "--units", "si", "--G", 5), ("t.csv", "--seed", 5), ("six-body", "--every", 5), ("six-body", "--snapshots", "%d.csv"),
                  ("six-body", "--final", ""), ("t.csv", "--exponent", 3), ("six-body", "--backend", "cpu", "--device", 0),
                  ("six-body", "--backend", "cpu", "--kernel", "simd", "--block", 128), ("six-body", "--csv", "a.csv", "--csv", "b.csv"),
                  ("t.csv", "--scene-version", 1), ("t.csv", "--law", "lennard-jones", "--softening", 1), ("t.csv", "--opening", 0.5),
                  ("six-body", "--backend", "cpu", "--opening", 0.5), ("six-body", "--backend", "cpu", "--kernel", "simd", "--accuracy", 1e-3)):
        one_sentence(run("run", *words, "--steps", 1), 2)
    assert run("run", "--steps", 1, "--", "six-body").code == 0


# Units far from 1.

def cluster(name, length, mass, speed, bodies=400, offset=0.0):
    chance = random.Random(7)
    with open(name, "w") as file:
        file.write("x,y,z,vx,vy,vz,m\n")
        for _ in range(bodies):
            place = [offset + length * chance.gauss(0, 0.5) for _ in range(3)]
            file.write(",".join(repr(v) for v in place + [speed * chance.gauss(0, 0.4) for _ in range(3)] + [mass / bodies]) + "\n")


def moved(name, *more):
    result = run("run", name, "--steps", 20, "--final", "-", *more)
    assert result.code == 0, result.err
    lines = [line.split(",") for line in result.out.splitlines() if line and not line.startswith("#")]
    places = [lines[0].index(name) for name in "xyz"]
    return [[float(line[k]) for k in places] for line in lines[1:]]


@case
def a_cluster_in_metres_is_right_or_refused():
    # 400 suns in a parsec, in metres and kilograms; then asteroids in centimetres, atoms, and a cluster far from the origin.
    for name, length, mass, speed, dt, offset in (("metres.csv", 3.1e16, 1.3e20 * 400, 1e3, 1e11, 0.0), ("cm.csv", 3e14, 1e26, 6e5, 1e6, 0.0),
                                                  ("small.csv", 1e-12, 1e-12, 1.0, 1e-14, 0.0), ("far.csv", 10.0, 1.0, 0.3, 1e-2, 1e9)):
        cluster(name, length, mass, speed, offset=offset)
        common = ("--softening", 0.02 * length, "--dt", dt)
        one_sentence(run("run", name, "--steps", 1, "--precision", "fp32", *common), 2)
        exact, found = moved(name, "--precision", "fp64", *common), [moved(name, *common)]
        if offset:
            one_sentence(run("run", name, "--steps", 1, "--precision", "mixed", *common), 2)
        else:
            found.append(moved(name, "--backend", "cpu", "--precision", "mixed", *common))
        for other in found:
            assert len(exact) == len(other) == 400
            for a, b in zip(exact, other):
                assert all(abs(x - y) <= 3e-5 * max(abs(x), 1e-2 * length) for x, y in zip(a, b)), (name, a, b)


@case(long=True)
def every_scale_is_right_or_refused():
    for power in range(-14, 18):
        length = 10.0 ** power
        cluster("s.csv", length, length ** 3, length)
        common = ("--softening", 0.02 * length, "--dt", 1e-2)
        exact = moved("s.csv", "--precision", "fp64", *common)
        for precision in (None, "fp32", "mixed"):
            more = common if precision is None else (*common, "--backend", "cpu", "--precision", precision)
            result = run("run", "s.csv", "--steps", 20, "--final", "-", *more)
            assert result.code in ((0, 2) if precision == "fp32" else (0,)), (power, precision, result.code, result.err)
            if result.code:
                continue
            far = max(abs(x - y) / max(abs(x), 1e-2 * length) for a, b in zip(exact, moved("s.csv", *more)) for x, y in zip(a, b))
            assert far <= 3e-5, (power, precision, far)


# Forces: close pairs, accuracies, groups.

def table(name, rows, columns="m,x,y,z,vx,vy,vz"):
    with open(name, "w") as file:
        file.write(columns + "\n")
        for row in rows:
            file.write(",".join(map(repr, row)) + "\n")


def rows_of(text):
    """The rows of a table as dictionaries of numbers."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = [name.split(" [")[0] for name in lines[0].split(",")]
    return [dict(zip(names, map(float, line.split(",")))) for line in lines[1:]]


@case
def close_pairs_of_a_cluster_have_the_right_force():
    chance = random.Random(3)
    rows = [(1 / 3000, *(chance.gauss(0, 0.6) for _ in range(3)), 0.0, 0.0, 0.0) for _ in range(3000)]
    rows += [(3e-4, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (3e-4, 1.000001, 0.000001, 0.0, 0.0, 0.0, 0.0)]
    table("pair.csv", rows)
    words = ("run", "pair.csv", "--softening", 0, "--integrator", "symplectic-euler", "--dt", 1e-9, "--steps", 1, "--final", "-")
    mine, exact = (run(*words, *more) for more in ((), ("--precision", "fp64")))
    assert mine.code == exact.code == 0, mine.err + exact.err
    one_sentence(run(*words, "--precision", "fp32"), 2)
    for a, b in list(zip(rows_of(mine.out), rows_of(exact.out)))[-2:]:
        for axis in ("vx", "vy"):
            assert abs(a[axis] - b[axis]) <= 1e-2 * abs(b[axis]) and b[axis] != 0, (a, b)


def shapes(bodies):
    """Arrangements whose forces cancel, or that no cell holds well: rows, the accuracy and what else the run takes."""
    chance = random.Random(8)
    side = round(bodies ** (1 / 3)) | 1
    salt = [((-1) ** (i + j + k), i, j, k, 0, 0, 0) for i in range(side) for j in range(side) for k in range(side)]
    line = [(1 / bodies, i / bodies, 0, 0, 0, 0, 0) for i in range(bodies)]
    places = [[chance.gauss(0, 1) for _ in range(3)] for _ in range(bodies // 100)]
    clumps = [(1 / bodies, *place, 0, 0, 0) for place in places for _ in range(100)]
    half = [(1 / bodies, *((0.1, 0.2, 0.3) if i % 2 else (chance.gauss(0, 1) for _ in range(3))), 0, 0, 0) for i in range(bodies)]
    decades = []
    for _ in range(bodies):
        way, radius = [chance.gauss(0, 1) for _ in range(3)], 10 ** chance.uniform(-7, 0)
        size = math.sqrt(sum(w * w for w in way))
        decades.append((1 / bodies, *(radius * w / size for w in way), 0, 0, 0))
    coulomb, power = ("--law", "coulomb", "--softening", 0.1), ("--law", "power-law", "--exponent", 0.5, "--softening", 1e-9)
    return {"line": (line, 1e-5, ("--softening", 0.01)), "salt": (salt, 1e-3, coulomb), "clumps": (clumps, 1e-2, ("--softening", 0.01)),
            "half": (half, 1e-3, ("--softening", 0.01)), "decades": (decades, 1e-3, power)}


def hold_accuracies(bodies):
    for name, (rows, accuracy, more) in shapes(bodies).items():
        table(name + ".csv", [tuple(map(float, row)) for row in rows])
        words = ("run", name + ".csv", "--backend", "cpu", "--accuracy", accuracy, "--dt", 0.01, "--steps", 2, "--csv", "e.csv", *more)
        left = run(*words)
        assert left.code == 0, (name, left.err)
        last = rows_of(open("e.csv").read())[-1]
        if "force_error" in last:
            assert last["force_error"] <= last["force_error_allowed"] == accuracy, (name, last)
        os.remove("e.csv")
        named = run(*words, "--kernel", "tree")
        assert named.code in (0, 7), (name, named.code, named.err)
        if named.code:
            one_sentence(named, 7)
            assert not os.path.exists("e.csv"), name
            assert "force_error" not in last, (name, "kept by one and missed by the other", last)
        else:
            last = rows_of(open("e.csv").read())[-1]
            assert last["force_error"] <= last["force_error_allowed"], (name, last)
            os.remove("e.csv")


@case
def an_accuracy_is_kept_or_every_pair_is_computed():
    hold_accuracies(3000)


@case(long=True)
def an_accuracy_of_many_bodies_is_kept_or_every_pair_is_computed():
    hold_accuracies(20000)


def labels_by_pairs(places, length):
    """Groups by the definition: whoever is at most that far apart has one label, the least index of its group."""
    parent = list(range(len(places)))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, a in enumerate(places):
        for j in range(i):
            b = places[j]
            if (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2 <= length * length:
                low, high = sorted((root(i), root(j)))
                parent[high] = low
    return [root(i) for i in range(len(places))]


@case
def groups_are_those_of_every_pair():
    chance = random.Random(4)
    below = math.nextafter(0.5, 0)
    lattice = [(0.5 * i, 0.5 * j, 0.5 * k) for i in range(6) for j in range(6) for k in range(6)]
    arrangements = (("lattice", lattice, 0.5), ("apart", lattice, below), ("chain", [(0.25 * i, 0.0, 0.0) for i in range(300)], 0.25),
                    ("plane", [(chance.random(), chance.random(), 0.0) for _ in range(300)], 0.03),
                    ("twice", [(float(i // 3), 0.0, 0.0) for i in range(60)], 1e-150),
                    ("outlier", [(chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(0, 1)) for _ in range(250)] + [(1e30, 0.0, 0.0)], 0.2))
    kernels = [("reference", "pairs", ()), ("cpu", "union-grid", ("--threads", 1)), ("cpu", "union-tree", ("--threads", 3))]
    for name, places, length in arrangements:
        table("g.csv", [(1.0, *place, 7 * i + 3) for i, place in enumerate(places)], "m,x,y,z,id")
        want = [7 * label + 3 for label in labels_by_pairs(places, length)]
        for backend, kernel, more in kernels:
            result = run("groups", "g.csv", "--linking-length", repr(length), "--least", 1, "--backend", backend, "--kernel", kernel,
                         "-o", "-", *more)
            assert result.code == 0, (name, kernel, result.err)
            got = [int(row["group"]) for row in rows_of(result.out)]
            assert got == want, (name, kernel, next((i, a, b) for i, (a, b) in enumerate(zip(got, want)) if a != b))


# Steps of its own length for each body, trees: the same bits in pieces, on threads, after a kill.

@case
def block_steps_of_odd_bodies_are_finite_or_refused():
    alone, three = [(1.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0)], [(1.0, float(i), 0.0, 0.0, 0.0, 0.1 * i, 0.0) for i in range(3)]
    heap = [(0.1, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0)] * 5 + three
    light = [(0.0, float(i), 0.1, 0.0, 0.0, 0.0, 0.0) for i in range(4)] + alone
    for name, rows in (("alone", alone), ("three", three), ("heap", heap), ("light", light)):
        table("b.csv", rows)
        for dt in (1e-300, 1e-3, 1e3, 1e10):
            result = run("run", "b.csv", "--integrator", "block-leapfrog", "--softening", 0.05, "--dt", dt, "--steps", 3, "--final", "-")
            assert result.code in (0, 2, 5, 7), (name, dt, result.code, result.err)
            if result.code == 0:
                assert all(math.isfinite(value) for row in rows_of(result.out) for value in row.values()), (name, dt)
            else:
                one_sentence(result, result.code)


@case
def pieces_threads_and_kills_change_no_bit_of_trees_and_block_steps():
    for more in (("--kernel", "tree", "--accuracy", "1e-3"), ("--integrator", "block-leapfrog"),
                 ("--integrator", "block-leapfrog", "--kernel", "tree", "--accuracy", "1e-3")):
        words = ("plummer", "-n", 1500, "--backend", "cpu", *more)
        whole = run("run", *words, "--threads", 1, "--steps", 6, "--final", "-").out
        assert whole.count("\n") > 1500
        for threads in (2, 3):
            assert run("run", *words, "--threads", threads, "--steps", 6, "--final", "-").out == whole, (more, threads)
        saved("a.hdf5", *words, "--steps", 1)
        saved("b.hdf5", "a.hdf5", "--steps", 2)
        program = subprocess.Popen([BINARY, "run", "b.hdf5", "--steps", "1000000", "--checkpoint", "k.hdf5", "--autosave", "0.01"],
                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.time() + PATIENCE
        while not os.path.exists("k.hdf5") and time.time() < deadline:
            time.sleep(0.01)
        program.kill()
        program.wait()
        reached = info("k.hdf5")["step"]
        assert run("run", "b.hdf5", "--steps", 3, "--final", "-").out == whole, more
        assert run("run", "k.hdf5", "--steps", 1, "--final", "-").out == run("run", *words, "--steps", reached + 1, "--final", "-").out, more
        os.remove("k.hdf5")


@case
def one_body_far_out_does_not_spoil_the_others():
    chance = random.Random(6)
    rows = [(1 / 300, *(chance.gauss(0, 0.6) for _ in range(3)), 0.0, 0.0, 0.0) for _ in range(300)]
    for far in (1e19, 1e22, 1e35):
        table("far.csv", rows + [(3e-4, far, 0.0, 0.0, 0.0, 0.0, 0.0)])
        words = ("run", "far.csv", "--softening", 0.01, "--dt", 1e-3, "--steps", 2, "--final", "-")
        mine, exact = run(*words), run(*words, "--precision", "fp64")
        assert mine.code == exact.code == 0, (far, mine.err, exact.err)
        for a, b in zip(rows_of(mine.out)[:300], rows_of(exact.out)[:300]):
            assert all(abs(a[axis] - b[axis]) <= 3e-5 for axis in "xyz"), (far, a, b)


# Units.

@case
def numbers_without_a_unit_are_said_and_units_come_back():
    table("si.csv", [(2e30, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (6e24, 1.496e11, 0.0, 0.0, 0.0, 29780.0, 0.0)])
    said = run("run", "si.csv", "--units", "si", "--softening", 1e9, "--dt", 0.02, "--steps", 1, "--final", "-")
    assert said.code == 0 and "--softening" in said.err and "with a unit" in said.err, said.err
    with_unit = run("run", "si.csv", "--units", "si", "--softening", "1e9m", "--dt", "1day", "--steps", 365, "--final", "-")
    assert with_unit.code == 0, with_unit.err
    earth = rows_of(with_unit.out)[1]
    assert abs(math.hypot(earth["x"], earth["y"]) - 1.496e11) < 0.05 * 1.496e11, earth
    for bad in ("1e9kg", "1e9 furlong", "nan m", "1e999m", "m", "1e9 m m", "-1e9m"):
        result = run("run", "si.csv", "--units", "si", "--softening", bad, "--dt", "1day", "--steps", 1)
        one_sentence(result, 2)
    table("own.csv", [(1.5, 0.1, -2.5, 3.0, 0.01, 0.02, -0.03), (2.5, -1.1, 0.5, 1.0, -0.01, 0.0, 0.03)])
    for units in re.search(r"--units NAME[^:]*: ([^\[]*)", run("run", "--help").out).group(1).split(","):
        there = run("convert", "own.csv", "there.hdf5", "--units", units.strip())
        assert there.code == 0, (units, there.err)
        back = run("convert", "there.hdf5", "-")
        for a, b in zip(rows_of(open("own.csv").read()), rows_of(back.out)):
            for key, value in a.items():
                assert abs(b[key] - value) <= 1e-14 * abs(value), (units, key, value, b[key])


# Options, commands, scripts.

@case
def options_that_change_nothing_are_refused():
    table("t.csv", [(1.0, float(i), 0.0, 0.0, 0.0, 0.0, 0.0) for i in range(20)])
    picture_of = ("render", "six-body", "--backend", "cpu", "--frames", 1, "--size", "64x64", "-o", "x.png")
    for words in (("matrix", "six-body", "-o", "m.csv", "--accuracy", 1e-3), ("matrix", "six-body", "-o", "m.csv", "--dt", 0.1),
                  ("matrix", "six-body", "-o", "m.csv", "--integrator", "euler"),
                  ("matrix", "six-body", "-o", "m.csv", "--value", "distance", "--softening", 0.1),
                  ("fingerprint", "six-body", "--accuracy", 1e-3), ("groups", "t.csv", "--set", "a=1"), ("groups", "t.csv", "--json", "--rows", 3),
                  ("groups", "t.csv", "--backend", "cpu", "--device", 3), ("check", "--simd", "nonsense"),
                  ("run", "plummer", "-n", 300, "--steps", 1, "--backend", "cpu", "--kernel", "simd", "--threads", 5),
                  ("run", "plummer", "-n", 300, "--steps", 1, "--backend", "cpu", "--kernel", "naive", "--simd", "scalar"),
                  ("run", "plummer", "-n", 300, "--steps", 1, "--backend", "cpu", "--split", 2), (*picture_of, "--tree-level", 3),
                  (*picture_of, "--colour", "plain", "--map", "ember"), (*picture_of, "--colour", "mass", "--top-speed", 3),
                  (*picture_of, "--dust", 0.5), (*picture_of, "--dark-matter", 1), (*picture_of, "--lab", "launch"), (*picture_of, "--ui-scale", 2),
                  (*picture_of, "--overlay", "none,all")):
        one_sentence(run(*words), 2)
        assert not os.path.exists("m.csv") and not os.path.exists("x.png"), words


@case
def whoever_reads_a_pipe_hears_the_first_signal():
    for words in (("info", "-"), ("convert", "-", "o.csv"), ("groups", "-", "-o", "g.csv"), ("run", "-", "--steps", "1"),
                  ("matrix", "-", "-o", "m.csv"), ("render", "-", "-o", "x.png", "--frames", "1")):
        for number, code, word in ((signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")):
            program = subprocess.Popen([BINARY, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                program.stdin.write(b"m,x,y,z\n1,0,0,0\n")
                program.stdin.flush()
                # It has read the pipe empty, so it waits for more.
                deadline = time.time() + PATIENCE
                while time.time() < deadline and unread(program.stdin):
                    time.sleep(0.01)
                time.sleep(0.2)
                program.send_signal(number)
                # What it has not read keeps it waiting, so communicate() may not close the pipe.
                got = program.wait(timeout=PATIENCE)
            finally:
                program.kill()
            err = program.stderr.read().decode()
            assert got == code and err.rstrip().splitlines()[-1] == f"gravlab: {word}; nothing was written", (words, got, err)
    assert sorted(os.listdir(".")) == [], os.listdir(".")


def unread(pipe):
    """Bytes that nobody has read yet."""
    import array
    import fcntl
    import termios
    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def started_by(folder):
    """Processes whose command line names that folder."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if name.isdigit() and int(name) != os.getpid() and folder.encode() in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return found


def write_bomb(name):
    """A text that needs any time and memory to compile."""
    with open(name, "w") as file:
        file.write("#define A0 x,\n" + "".join(f"#define A{i + 1} A{i} A{i} A{i} A{i}\n" for i in range(20)) + "int a[]={A20 1};")


@case(long=True)
def a_text_that_never_ends_to_compile_is_a_sentence():
    write_bomb("bomb.cu")
    result = run("run", "plummer", "-n", 500, "--steps", 1, "--kernel", os.getcwd() + "/bomb.cu")
    assert result.code in (2, 3, 4, 7), (result.code, result.err)
    one_sentence(result, result.code)


@case
def the_text_of_a_kernel_has_limits_and_leaves_nothing_behind():
    write_bomb("bomb.cu")
    os.mkfifo("pipe.h")
    open("waits.cu", "w").write('#include "pipe.h"\n')
    open("escape.cu", "w").write("#error \x1b]0;owned\x07\n")
    here = os.getcwd()
    for text in ("waits.cu", "escape.cu", "/dev/zero", "/etc/passwd", "."):
        result = run("run", "plummer", "-n", 500, "--steps", 1, "--kernel", text if text.startswith("/") else f"{here}/{text}")
        assert result.code in (2, 3, 4, 7), (text, result.code, result.err)
        one_sentence(result, result.code)
        assert "\x1b" not in result.err and "root:" not in result.err, (text, result.err)
    program = subprocess.Popen([BINARY, "run", "plummer", "-n", "500", "--steps", "1", "--kernel", f"{here}/bomb.cu"], stderr=subprocess.DEVNULL)
    time.sleep(1)
    program.kill()
    program.wait()
    deadline = time.time() + PATIENCE
    while started_by(here) and time.time() < deadline:
        time.sleep(0.05)
    assert not started_by(here), "the compiler goes on"


@case
def scripts_of_random_words_have_an_answer_a_line():
    chance = random.Random(9)
    listed = run("list", "parameters", "--json")
    paths = [row["path"] for row in json.loads(listed.out)] if listed.code == 0 else ["run.step", "run.softening", "look.glow"]
    odd = ("", "-1", "0", "1e999", "nan", "99999999999999999999", "true", '"a b"', "[1, 2, 3]", "[1", '"half', "auto", "0.3kpc", "\u00fc", "1 2")
    words = ("set", "get", "do", "open", "wait", "expect", "nowait", "within", "==", "<", "step", "seconds", "run.step", "plummer", "#", "picture")
    outside = {"do", "open", "nowait"}  # of random words these would write files or wait
    for _ in range(6):
        lines = []
        for _ in range(40):
            if chance.random() < 0.5:
                path = chance.choice([p for p in paths if not p.startswith(("run.bodies", "lab.", "film."))])
                lines.append(f"{chance.choice(('set', 'expect'))} {path} {'== ' if chance.random() < 0.3 else ''}{chance.choice(odd)}")
            else:
                line = " ".join(chance.choice(words) for _ in range(chance.randint(1, 5)))
                lines.append(line if line.split()[0] not in outside and not line.startswith("wait") else "get run.step")
        open("w.txt", "w").write("".join(line + "\n" for line in lines))
        result = run("play", "w.txt", "two-body", "--backend", "reference")
        assert result.code in (0, 2, 7), (result.code, result.err)
        answers = [json.loads(line) for line in result.out.splitlines()]
        asked = [number for number, line in enumerate(lines, 1) if line.strip() and not line.strip().startswith("#")]
        assert [answer["line"] for answer in answers] == asked, "a line without an answer"
        assert all(answer["status"] in ("applied", "refused", "failed") for answer in answers)
        assert all("why" in answer for answer in answers if answer["status"] != "applied"), "a refusal without a reason"


# Physics, against integrators of this file's own.

def accelerations(places, masses, power, softening):
    result = []
    for i, at in enumerate(places):
        sums = [0.0] * 3
        for j, other in enumerate(places):
            if i != j:
                way = [b - a for a, b in zip(at, other)]
                pull = masses[j] * (sum(w * w for w in way) + softening * softening) ** (-0.5 * (power + 1))
                sums = [s + pull * w for s, w in zip(sums, way)]
        result.append(sums)
    return result


def added(a, b, share):
    return [[p + share * q for p, q in zip(one, other)] for one, other in zip(a, b)]


def by_leapfrog(x, v, pull, dt, steps):
    for _ in range(steps):
        v = added(v, pull(x), 0.5 * dt)
        x = added(x, v, dt)
        v = added(v, pull(x), 0.5 * dt)
    return x


def by_rk4(x, v, pull, dt, steps):
    for _ in range(steps):
        a1, v1 = pull(x), v
        a2, v2 = pull(added(x, v1, 0.5 * dt)), added(v, a1, 0.5 * dt)
        a3, v3 = pull(added(x, v2, 0.5 * dt)), added(v, a2, 0.5 * dt)
        a4, v4 = pull(added(x, v3, dt)), added(v, a3, dt)
        for part, (vs, as_) in zip((1, 2, 2, 1), ((v1, a1), (v2, a2), (v3, a3), (v4, a4))):
            x, v = added(x, vs, part * dt / 6), added(v, as_, part * dt / 6)
    return x


def compare_orbits(count, seed):
    chance = random.Random(seed)
    for number in range(count):
        bodies, power = chance.randint(2, 6), chance.choice((2, 2, 2, 1, 1.5, 3, 0, -1))
        softening, dt, steps = chance.choice((0.05, 0.3)), chance.choice((1e-3, 5e-3)), chance.randint(5, 60)
        masses = [chance.uniform(0.1, 2) for _ in range(bodies)]
        x, v = ([[chance.gauss(0, size) for _ in range(3)] for _ in range(bodies)] for size in (1, 0.5))
        with open("o.csv", "w") as file:
            file.write("x,y,z,vx,vy,vz,m\n")
            for row in zip(x, v, masses):
                file.write(",".join(map(repr, row[0] + row[1] + [row[2]])) + "\n")
        pull = lambda places: accelerations(places, masses, power, softening)
        # The reference of radau15: so many steps of order 4 that theirs is the smaller error.
        for integrator, mine, tolerance in (("leapfrog", by_leapfrog(x, v, pull, dt, steps), 1e-12), ("rk4", by_rk4(x, v, pull, dt, steps), 1e-12),
                                            ("radau15", by_rk4(x, v, pull, dt / 20, 20 * steps), 1e-9)):
            law = () if power == 2 else ("--law", "power-law", "--exponent", power)
            for backend in ("cpu", "reference"):
                result = run("run", "o.csv", "--softening", softening, "--dt", dt, "--steps", steps, "--integrator", integrator, "--backend", backend,
                             "--final", "-", *law)
                if result.code == 2 and integrator == "radau15":
                    continue  # only some backends have it
                assert result.code == 0, (number, result.err)
                rows = [line.split(",") for line in result.out.splitlines() if line and not line.startswith("#")]
                columns = [rows[0].index(axis) for axis in "xyz"]
                for row, place in zip(rows[1:], mine):
                    for k, want in zip(columns, place):
                        assert abs(float(row[k]) - want) <= tolerance * max(1, abs(want)), (number, integrator, backend, power, float(row[k]), want)


@case
def orbits_are_those_of_other_integrators():
    compare_orbits(3, 11)


@case(long=True)
def many_orbits_are_those_of_other_integrators():
    compare_orbits(60, 12)


@case
def bodies_that_meet_are_no_result():
    open("meet.csv", "w").write("x,y,z,vx,vy,vz,m\n-0.5,0,0,0,0,0,1\n0.5,0,0,0,0,0,1\n")
    open("end.csv", "w").write("old")
    result = run("run", "meet.csv", "--softening", 0, "--integrator", "radau15", "--dt", 0.01, "--steps", 300, "--final", "end.csv")
    one_sentence(result, 7)
    assert open("end.csv").read() == "old"


# What goes out comes back.

@case
def conversions_keep_every_bit():
    rows = ["-0.0,5e-324,1e308,1e-300,-1e-310,3,1e-20", "0.1,0.2,0.30000000000000004,-1,2,-3,4", "1,2,3,0,0,0,0"]
    open("a.csv", "w").write("x,y,z,vx,vy,vz,m\n" + "\n".join(rows) + "\n")
    first = run("convert", "a.csv", "-").out
    for chain in (("b.hdf5", "c.tab", "d.csv"), ("b.tab", "c.hdf5", "d.csv")):
        source = "a.csv"
        for target in chain:
            assert run("convert", source, target).code == 0
            source = target
        assert run("convert", source, "-").out.splitlines()[-3:] == first.splitlines()[-3:], chain


@case
def threads_and_vector_units_change_no_bit():
    one = run("run", "plummer", "-n", 700, "--steps", 3, "--threads", 1, "--final", "-").out
    for threads in (2, 3, 7):
        assert run("run", "plummer", "-n", 700, "--steps", 3, "--threads", threads, "--final", "-").out == one, threads


@case
def a_twin_is_the_run_that_it_stands_for():
    with_twin = run("run", "six-body", "--steps", 20, "--twin", "integrator=euler", "--csv", "t.csv", "--final", "first.csv")
    assert with_twin.code == 0, with_twin.err
    assert run("run", "six-body", "--steps", 20, "--final", "plain.csv").code == 0
    assert open("first.csv").read() == open("plain.csv").read(), "the twin disturbed the run"
    assert run("run", "six-body", "--steps", 20, "--integrator", "euler", "--csv", "e.csv").code == 0
    column = open("t.csv").readline().strip().split(",").index("twin_energy")
    mine, other = (float(open(f).read().splitlines()[-1].split(",")[k]) for f, k in (("t.csv", column), ("e.csv", 4)))
    assert abs(mine - other) <= 1e-12 * abs(other)


@case(long=True)
def a_circle_closes():
    for integrator in ("leapfrog", "yoshida4", "yoshida6", "rk4", "radau15"):
        open("c.csv", "w").write("x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,0\n")
        steps = 2000
        result = run("run", "c.csv", "--softening", 0, "--integrator", integrator, "--dt", repr(2 * math.pi / steps), "--steps", steps, "--final", "-")
        if result.code == 2:
            continue  # no integrator of that name
        last = [float(x) for x in result.out.splitlines()[-1].split(",")]
        assert min(abs(v - 1) for v in last) < 1e-4, (integrator, last)


# Bonds, contacts and undo: samples against formulas of this file.

@case
def what_single_precision_cannot_carry_is_right_or_refused():
    """Circles about a field far from the origin, and bodies that a step moves by less than a rounding of their places."""
    angles = [0.0207 * k for k in range(300)]
    for radius, place in ((1e-3, 1000.0), (1e-4, 10.0)):
        speed = radius ** -0.5
        table("c.csv", [(0, place + radius * math.cos(t), radius * math.sin(t), 0, -speed * math.sin(t), speed * math.cos(t), 0)
                        for t in angles])
        for precision in ("auto", "fp32", "mixed"):
            result = run("run", "c.csv", "--field", f"point,mass=1,x={place}", "--softening", 0, "--dt", 2 * math.pi * radius / speed / 200,
                         "--steps", 100, "--precision", precision, "--final", "-")
            assert result.code == 0 or (precision == "fp32" and result.code == 2), (precision, result.err)
            for row in rows_of(result.out) if result.code == 0 else ():
                assert abs(math.hypot(row["x"] - place, row["y"]) / radius - 1) < 0.01, (precision, radius, row)
    table("w.csv", [(1, 0, 0, 0, 0, 0, 0)] + [(0, 1e6 + k, 0, 0, 0.1, 0, 0) for k in range(300)])
    for precision in ("auto", "fp32"):
        result = run("run", "w.csv", "--softening", 0, "--dt", 0.01, "--steps", 200, "--precision", precision, "--final", "-")
        assert result.code == 0 or (precision == "fp32" and result.code == 2), (precision, result.err)
        for k, row in enumerate(rows_of(result.out)[1:] if result.code == 0 else ()):
            assert abs(row["x"] - (1e6 + k) - 0.2) < 0.002, (precision, row)


def pull_of(law, over, length, stiffness, strain):
    """Pull of a bond that is longer than its rest length by `over`."""
    if law == "fene":
        return stiffness * over / (1 - min((over / (strain * length)) ** 2, 0.99))
    if law == "morse":
        rate = math.log(2) / (strain * length)
        return stiffness / rate * (math.exp(-rate * over) - math.exp(-2 * rate * over))
    return stiffness * over


def bonded(chance, bodies):
    """A chain of bonds of random laws, with its files b.csv and n.csv: places, velocities, masses, bonds."""
    x = [[k + chance.gauss(0, 0.02), chance.gauss(0, 0.02), chance.gauss(0, 0.02)] for k in range(bodies)]
    v = [[chance.gauss(0, 0.7) for _ in range(3)] for _ in range(bodies)]
    masses = [chance.uniform(0.5, 2) for _ in range(bodies)]
    bonds = [(k, k + 1, math.dist(x[k], x[k + 1]) * chance.uniform(0.98, 1.02), chance.uniform(1, 5), 0,
              chance.uniform(0.1, 0.4), chance.choice(("hooke", "fene", "morse"))) for k in range(bodies - 1)]
    table("b.csv", [(m, *a, *b) for m, a, b in zip(masses, x, v)])
    with open("n.csv", "w") as file:
        file.write("i,j,length,stiffness,damping,breaking,law\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in bonds)
    return x, v, masses, bonds


@case
def bonds_pull_and_break_as_their_formulas_say():
    chance = random.Random(5)
    for number in range(6):
        x, v, masses, bonds = bonded(chance, (2, 4, 7)[number % 3])
        left = list(bonds)

        def pull(places):
            sums = [[0.0] * 3 for _ in places]
            for i, j, length, stiffness, _, strain, law in left:
                way = [b - a for a, b in zip(places[i], places[j])]
                far = math.hypot(*way)
                force = pull_of(law, far - length, length, stiffness, strain) / far
                for k in range(3):
                    sums[i][k] += force * way[k] / masses[i]
                    sums[j][k] -= force * way[k] / masses[j]
            return sums

        known = pull(x)
        for _ in range(60):  # a bond that breaks at the end of a step still acts in the first kick of the next one
            v = added(v, known, 0.005)
            x = added(x, v, 0.01)
            known = pull(x)
            v = added(v, known, 0.005)
            left = [b for b in left if b[6] == "morse" or math.dist(x[b[0]], x[b[1]]) - b[2] <= b[5] * b[2]]
        result = run("run", "b.csv", "--bonds", "n.csv", "--softening", 1e9, "--dt", 0.01, "--steps", 60, "--precision", "fp64", "--final", "-")
        if result.code == 2 and "too long for the bond" in result.err:
            continue
        assert result.code == 0, result.err
        for row, place in zip(rows_of(result.out), x):
            assert math.dist((row["x"], row["y"], row["z"]), place) < 1e-9, (number, len(bonds) - len(left), row, place)


@case
def a_chain_goes_on_from_every_cut():
    chance = random.Random(8)
    for number in range(3):
        bonded(chance, 6)
        words = ("--softening", 0.1, "--dt", 0.01)
        whole = run("run", "b.csv", "--bonds", "n.csv", *words, "--steps", 40, "--final", "-")
        if whole.code == 2:
            continue
        for cut in (chance.randint(1, 39), chance.randint(1, 39)):
            assert run("run", "b.csv", "--bonds", "n.csv", *words, "--steps", cut, "--final", "k.hdf5").code == 0
            rest = run("run", "k.hdf5", "--steps", 40 - cut, "--final", "-")
            assert rest.code == 0 and rest.out == whole.out, (number, cut, rest.err)


SPHERES = "m,x,y,z,vx,vy,vz,radius"


def billiard(x, v, masses, radii, restitution, until):
    """Spheres without forces, from one contact to the next: their places, and the number of contacts."""
    x, v, now, contacts = [list(a) for a in x], [list(a) for a in v], 0.0, 0
    while True:
        first = (math.inf, 0, 0)
        for i in range(len(x)):
            for j in range(i):
                way, speed = ([a - b for a, b in zip(p[i], p[j])] for p in (x, v))
                closing, square = sum(a * b for a, b in zip(way, speed)), sum(a * a for a in speed)
                root = closing * closing - square * (sum(a * a for a in way) - (radii[i] + radii[j]) ** 2)
                if closing < 0 <= root:
                    first = min(first, ((-closing - math.sqrt(root)) / square, i, j))
        after, i, j = first
        if now + after > until:
            return added(x, v, until - now), contacts
        x, now, contacts = added(x, v, after), now + after, contacts + 1
        way = [a - b for a, b in zip(x[i], x[j])]
        normal = [a / math.hypot(*way) for a in way]
        push = (1 + restitution) * sum((a - b) * n for a, b, n in zip(v[i], v[j], normal)) / (1 / masses[i] + 1 / masses[j])
        v[i] = [a - push / masses[i] * n for a, n in zip(v[i], normal)]
        v[j] = [a + push / masses[j] * n for a, n in zip(v[j], normal)]


@case
def spheres_bounce_as_in_a_billiard():
    chance = random.Random(2)
    played = 0
    while played < 5:
        bodies, restitution, steps = chance.choice((3, 6)), chance.choice((1, 0.8)), chance.choice((1, 3, 10))
        x = [[chance.uniform(-3, 3) for _ in range(3)] for _ in range(bodies)]
        radii = [chance.uniform(0.2, 0.6) for _ in range(bodies)]
        if any(math.dist(x[i], x[j]) <= radii[i] + radii[j] + 1e-3 for i in range(bodies) for j in range(i)):
            continue
        v = [[-a + chance.gauss(0, 0.2) for a in at] for at in x]
        masses = [chance.uniform(0.5, 2) for _ in range(bodies)]
        places, contacts = billiard(x, v, masses, radii, restitution, 1.5)
        table("s.csv", [(1e-20 * m, *a, *b, r) for m, a, b, r in zip(masses, x, v, radii)], SPHERES)
        result = run("run", "s.csv", "--contact", "bounce", "--restitution", restitution, "--dt", 1.5 / steps, "--steps", steps, "--softening", 0,
                     "--precision", "fp64", "--final", "-", "--events", "e.csv")
        assert result.code == 0, result.err
        assert len(rows_of(re.sub("bounce|merge", "0", open("e.csv").read()))) == contacts, (played, contacts)
        for row, place in zip(rows_of(result.out), places):
            assert math.dist((row["x"], row["y"], row["z"]), place) < 1e-5, (played, contacts, row, place)
        played += 1


@case
def contacts_keep_mass_momentum_and_volume():
    chance = random.Random(4)
    for number, mode in enumerate(("merge", "stick", "bounce", "merge")):
        bodies, spread = (5, 60, 40, 120)[number], (1, 0.2, 1, 0.5)[number]
        rows = [(chance.uniform(0.1, 1) / bodies, *(chance.gauss(0, spread) for _ in range(3)), *(chance.gauss(0, 1) for _ in range(3)),
                 chance.uniform(0.02, 0.2)) for _ in range(bodies)]
        table("s.csv", rows, SPHERES)
        words = ("run", "s.csv", "--contact", mode, "--dt", 0.01, "--steps", 20, "--softening", 0.05, "--precision", "fp64", "--final", "-")
        result = run(*words)
        assert result.code == 0, result.err
        for threads in (1, 3):
            assert run(*words, "--threads", threads).out == result.out, (mode, threads)
        end = [[row[name] for name in SPHERES.split(",")] for row in rows_of(result.out)]
        assert mode == "bounce" or number == 0 or len(end) < bodies, "nothing has merged"
        for what in (lambda r: r[0], lambda r: r[0] * r[4], lambda r: r[0] * r[5], lambda r: r[0] * r[6], lambda r: r[7] ** 3):
            before, after = sum(map(what, rows)), sum(map(what, end))
            assert abs(after - before) <= 1e-10 * sum(abs(what(row)) for row in rows), (mode, number, before, after)


@case
def odd_spheres_are_finite_or_refused():
    for bodies in ([(1, 0, 0, 0, 0, 0, 0, 0.1)] * 30, [(1, 0, 0, 0, 1, 0, 0, 0.1), (1, 0, 0, 0, -1, 0, 0, 0.1)],
                   [(0, 0, 0, 0, 1, 0, 0, 0.1), (0, 0.3, 0, 0, -1, 0, 0, 0.1)], [(1e300, 0, 0, 0, 1, 0, 0, 0.1), (1e-300, 0.15, 0, 0, -10, 0, 0, 0.1)],
                   [(1, 0, 0, 0, 1, 0, 0, 1e300), (1, 0.15, 0, 0, -10, 0, 0, 0.1)], [(1, 0, 0, 0, 1, 0, 0, 5e-324), (1, 0, 0, 0, -1, 0, 0, 5e-324)],
                   [(1, 0, 0, 0, 1e18, 0, 0, 0.1), (1, 1e15, 0, 0, -1e18, 0, 0, 0.1)]):
        table("s.csv", bodies, SPHERES)
        for mode in ("merge", "bounce"):
            result = sound("run", "s.csv", "--contact", mode, "--dt", 0.01, "--steps", 4, "--softening", 0.01, "--final", "-", codes=(0, 2, 3, 5, 6, 7))
            assert result.code != 0 or not re.search("nan|inf", result.out), (mode, bodies, result.out)


class Play:
    """A program that takes lines and answers each."""

    def __init__(self, *arguments):
        self.program = subprocess.Popen([BINARY, "play", "-", *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()
        self.program.stdin.close()
        self.program.stdout.close()

    def do(self, line):
        self.program.stdin.write(line + "\n")
        ready, _, _ = select.select([self.program.stdout], [], [], PATIENCE)
        assert ready, f"no answer to: {line}"
        return json.loads(self.program.stdout.readline())


EDITS = ("set run.radius 0.01", "set run.density 3", "set run.softening 0.2", "set run.seed 4", "set run.integrator yoshida4", "set run.time_step 0.001",
         "set run.bodies 64", "set run.contact none", "set look.colour_mode mass", "do remove", "do hold", "do coast", "do drop-star",
         "do velocity [0.1, 0.2, 0.3]", "do reset", "do next-seed", "do reverse")


@case
def as_many_undos_as_edits_give_the_state_before():
    chance = random.Random(6)
    for scene in (("planetesimals", "-n", 100), ("charges", "-n", 60), ("rope",)):
        with Play(*scene, "--backend", "cpu") as play:
            play.do("set run.paused true")
            play.do("do step 3")
            play.do("wait run.step >= 3 within 60")
            play.do("do select-body 1")
            shown = ("run.softening", "run.seed", "run.integrator", "run.time_step", "run.contact", "run.radius", "run.law", "run.bodies", "run.scene")
            state = lambda: ([play.do("get " + path).get("value") for path in shown], play.do("do save u.csv")["status"], open("u.csv").read())
            for _ in range(4):
                before = state()
                made = [edit for edit in (chance.choice(EDITS) for _ in range(chance.choice((1, 1, 3)))) if play.do(edit)["status"] == "applied"]
                for undo in range(len(made) + 1):
                    if state() == before:
                        break
                    said = play.do("do undo") if undo < len(made) else {}
                assert state() == before, (scene, made, said)


@case(long=True)
def groups_are_found_each_time_in_a_window():
    """Also where a search that the colours have begun ends just before."""
    if not os.environ.get("DISPLAY"):
        print("  left out: needs a display", flush=True)
        return
    chance = random.Random(3)
    with Play("plummer", "-n", 300, "--backend", "cpu", "--window", "--no-config") as play:
        play.do("set run.paused true")
        play.do("do colour-by group")
        for seed in range(20):
            play.do(f"set run.seed {seed + 5}")
            play.do(f"wait seconds {chance.choice((0, 0.02, 0.03, 0.05, 0.1))}")
            assert play.do("do find-groups")["status"] == "applied"


# Signals, other programs, the environment.

def await_handler(program, number):
    """Waits until the program handles a signal, and a moment, so that its run has begun."""
    deadline = time.time() + PATIENCE
    while time.time() < deadline:
        with open(f"/proc/{program.pid}/status") as status:
            caught = int(re.search(r"SigCgt:\s*(\w+)", status.read()).group(1), 16)
        if caught >> (number - 1) & 1:
            break
        time.sleep(0.01)
    time.sleep(0.2)


@case
def a_terminal_that_closes_saves_the_run():
    program = subprocess.Popen([BINARY, "run", "plummer", "-n", "2000", "--steps", "100000000", "--checkpoint", "c.hdf5"],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    await_handler(program, signal.SIGHUP)
    program.send_signal(signal.SIGHUP)
    _, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 129, (program.returncode, err)
    assert info("c.hdf5")["checkpoint"] and not leftovers()


def ended_at_first_word(arguments, number, stream):
    """Signals the program when its first line is there, and gives its exit code and what it said to the end."""
    program = subprocess.Popen([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        assert getattr(program, stream).readline(), f"{arguments} said nothing"
        program.send_signal(number)
        _, err = program.communicate(timeout=PATIENCE)
        return program.returncode, err.decode(errors="replace")
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()


@case
def checks_and_measurements_end_with_a_sentence():
    endless = ("bench", "plummer", "-n", "16k", "--backend", "cpu", "--kernel", "naive", "--repeats", "1000")
    for arguments, stream, said in (
            (("check",), "stdout", "the check is incomplete"),
            (("check", "--physics"), "stdout", "the check is incomplete"),
            (("bench", "plummer", "-n", "64", "--backend", "cpu", "--steps", "1000000000"), "stderr", "nothing was written"),
            ((*endless, "-o", "b.csv", "--format", "csv"), "stderr", "nothing was written"),
            ((*endless, "--card", "card.png"), "stderr", "nothing was written"),
            (("tune", "-n", "64k", "--backend", "cpu"), "stderr", "nothing was stored")):
        for number, code, word in ((signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")):
            got, err = ended_at_first_word(arguments, number, stream)
            assert got == code, (arguments, got, err)
            assert err.rstrip().splitlines()[-1] == f"gravlab: {word}; {said}", (arguments, err)
    assert not os.path.exists("b.csv") and not os.path.exists("card.png") and not leftovers()


@case
def what_was_promised_stays():
    def interrupted(scene):
        program = subprocess.Popen([BINARY, "run", scene, "--steps", "1000000000"], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        await_handler(program, signal.SIGTERM)
        program.send_signal(signal.SIGTERM)
        _, err = program.communicate(timeout=PATIENCE)
        return re.search(rb"gravlab run (\S+)", err).group(1)

    first = interrupted("six-body")
    for _ in range(10):
        interrupted("two-body")
    assert os.path.exists(first), "the state of the first run is gone"


@case(long=True)
def kills_never_tear_a_file():
    saved("s.hdf5", "plummer", "-n", 3000, "--steps", 1)
    for number in range(60):
        program = subprocess.Popen([BINARY, "run", "s.hdf5", "--steps", "100000", "--snapshot-every", "1", "--snapshots", "n%d.hdf5",
                                    "--checkpoint", "k.hdf5", "--autosave", "0.05"], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        time.sleep(0.3 + 0.02 * (number % 20))
        program.kill()
        program.wait()
        for name in os.listdir("."):
            if name.endswith(".hdf5") and not name.startswith(".") and name != "s.hdf5":
                assert run("info", name).code == 0, name
                os.remove(name)
    run("run", "s.hdf5", "--steps", 0, "--final", "end.hdf5")
    assert not leftovers(), leftovers()


@case
def several_programs_save_to_one_file():
    many = [subprocess.Popen([BINARY, "run", "plummer", "-n", str(200 + 50 * k), "--steps", "40", "--snapshot-every", "1", "--snapshots",
                              "n%d.hdf5", "--final", "f.hdf5"], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL) for k in range(4)]
    assert [program.wait(timeout=PATIENCE) for program in many] == [0] * 4
    for name in os.listdir("."):
        if name.endswith(".hdf5") and not name.startswith("."):
            assert run("info", name).code == 0, name
    assert not leftovers()


@case
def a_bad_cache_stops_no_run():
    os.mkdir("gravlab")
    cache = "gravlab/tune.json"
    entry = {"program": run("--version").out.split()[1], "backend": "cpu", "device": "x", "driver": "", "precision": "fp32", "n": 300,
             "kernel": "simd", "block": 1, "unroll": 1, "bodies_per_thread": 1, "split": 1, "threads": 10**9,
             "step_interactions_per_second": 1}
    for text in ("", "{", "[]", '{"format": 1, "choices": 3}', json.dumps({"format": 1, "choices": [entry]})):
        open(cache, "w").write(text)
        assert run("run", "plummer", "-n", 300, "--steps", 1).code == 0, text
    os.remove(cache)
    for make in (os.mkdir, os.mkfifo):
        make(cache)
        assert run("run", "six-body", "--steps", 1, patience=20).code == 0
        assert run("--version", patience=20).code == 0
        os.rmdir(cache) if os.path.isdir(cache) else os.remove(cache)


@case
def odd_environments_stop_no_run():
    for env in ({"HOME": ""}, {"HOME": "/not/there"}, {"XDG_STATE_HOME": "relative"}, {"XDG_CACHE_HOME": "/dev/null"}, {"LC_ALL": "xx_XX"},
                {"LANG": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}, {"TERM": "\x1b[2J"}, {"PATH": ""}, {"OMP_NUM_THREADS": "-5"},
                {"HDF5_PLUGIN_PATH": os.getcwd(), "HDF5_DISABLE_VERSION_CHECK": "0"}):
        result = run("run", "six-body", "--steps", 2, "--csv", "-", env=env)
        assert result.code == 0 and result.out.startswith("step,time"), (env, result.err)


@case
def files_write_no_escape_sequences():
    open("e.csv", "w").write("x,y,z,m,col\x1b[2J\n1,2,3,4,5\n2,2,2,2,2\n")
    open("n\x1b[2J.csv", "w").write("x,y,z,m\n1,2,3,4\n")
    for words in (("info", "n\x1b[2J.csv"), ("run", "n\x1b[2J.csv", "--steps", 1), ("run", "gone\x1b[2J.csv", "--steps", 1),
                  ("convert", "n\x1b[2J.csv", "o.csv"), ("info", "e.csv"), ("run", "\x1b[2J", "--steps", 1)):
        sound(*words)
    open("n\u009b2J.csv", "w").write("x,y,z,m\n1,2,3,4\n")  # the same in one letter beyond ASCII
    assert "\u009b" not in sound("info", "n\u009b2J.csv").out + sound("info", "n\u009b2J.csv", "--json").out


@case
def numbers_are_said_as_they_are():
    open("zero.csv", "w").write("x,y,z,vx,vy,vz,m\n-0.5,0,0,0,1,0,1\n0.5,0,0,0,-1,0,1\n")
    assert run("run", "zero.csv", "--softening", 0, "--integrator", "euler", "--dt", 0.5, "--steps", 4, "--csv", "e.csv").code == 0
    rows = [line.split(",") for line in open("e.csv").read().splitlines()]
    assert float(rows[1][4]) == 0 and float(rows[-1][rows[0].index("relative_change")]) > 0.1, "an energy that begins at 0 is called kept"
    open("big.csv", "w").write("x,y,z,vx,vy,vz,m\n0,0,0,1e308,0,0,1e308\n1e308,0,0,1,1e308,0,1e308\n")
    assert info("big.csv")["kinetic_energy"] == "beyond the range of a double"
    open("back.toml", "w").write('scene = "six-body"\ntime_step = -0.002\n')
    saved("back.hdf5", "six-body", "--dt", -0.002, "--steps", 3)
    for file in ("back.toml", "back.hdf5"):
        one_sentence(run("run", file, "--until", 1), 2)
    assert run("run", "six-body", "--threads", 4096, "--steps", 1).code == 0
    refused = run("run", "six-body", "--threads", 4097, "--steps", 1)
    one_sentence(refused, 2)
    assert "4096" in refused.err, refused.err


@case
def a_picture_that_does_not_fit_is_refused():
    for folder, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = f"{folder}/gravlab-hostile-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            open(f"{group}/{limit}", "w").write("400M")
        except OSError:
            continue
        else:
            result = subprocess.run([BINARY, "render", "six-body", "--frames", "1", "--size", "16384x16384", "-o", "x.png"],
                                    preexec_fn=lambda: open(f"{group}/cgroup.procs", "w").write(str(os.getpid())),
                                    stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
            one_sentence(Result(result.returncode, "", result.stderr.decode(errors="replace")), 5)
            return
        finally:
            os.rmdir(group)
    print("  left out: no control group can be made", flush=True)


# Random changes of every kind of file.

def mutate(rounds, seed):
    chance = random.Random(seed)
    assert run("run", "six-body", "--steps", 1, "--final", "a.hdf5").code == 0
    for target in ("a.csv", "a.tab", "a.tipsy"):
        assert run("convert", "a.hdf5", target).code == 0
    assert run(*STILL, "-o", "a.png").code == 0
    open("a.toml", "w").write('scene = "six-body"\n\n[view]\nglow = 0.5\n')
    names = ["a.hdf5", "a.csv", "a.tab", "a.tipsy", "a.png", "a.toml"]
    whole = {name: open(name, "rb").read() for name in names}
    for _ in range(rounds):
        name = chance.choice(names)
        bytes_ = bytearray(whole[name])
        for _ in range(chance.randint(1, 8)):
            place = chance.randrange(len(bytes_))
            kind = chance.randrange(4)
            if kind == 0:
                bytes_[place] = chance.randrange(256)
            elif kind == 1:
                del bytes_[place:place + chance.randint(1, 40)]
            elif kind == 2:
                bytes_[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 40)))
            else:
                bytes_[place:place] = bytes_[:chance.randint(1, 200)]
            if not bytes_:
                break
        open("m." + name[2:], "wb").write(bytes(bytes_))
        sound("run", "m." + name[2:], "--steps", 1, codes=(0, 2, 3, 5), patience=60)


@case
def changed_files_are_right_or_refused():
    mutate(80, 1)


@case(long=True)
def many_changed_files_are_right_or_refused():
    mutate(5000, 2)


# The window, where there is a display.

@case(long=True)
def windows_leave_devices_and_files_whole():
    if not os.environ.get("DISPLAY"):
        print("  left out: needs a display", flush=True)
        return
    os.symlink("/dev/null", "null.png")
    assert run("view", "six-body", "--no-config", "--frames", 3, "--screenshot", "null.png").code == 0
    assert stat.S_ISCHR(os.stat("null.png").st_mode)
    for number in range(10):
        program = subprocess.Popen([BINARY, "view", "plummer", "-n", "500", "--no-config", "--autosave", "0.1"],
                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        time.sleep(1 + 0.1 * number)
        program.kill()
        program.wait()
        for folder, _, files in os.walk("."):
            for name in files:
                if name.endswith(".hdf5") and not name.startswith("."):
                    assert run("info", os.path.join(folder, name)).code == 0, name


def outcome(name):
    """Runs a case in a folder of its own; gives its name and what was wrong."""
    function = next(row[1] for row in CASES if row[0] == name)
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="gravlab-hostile-") as folder:
        os.chdir(folder)
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
        try:
            function()
        except Exception as error:
            return name, f"{type(error).__name__}: {error}"
        finally:
            os.chdir(here)
    return name, None


def main():
    global BINARY
    words = sys.argv[1:]
    if not words:
        sys.exit(__doc__)
    BINARY = os.path.abspath(words.pop(0))
    everything = "--all" in words
    jobs = int(words.pop(words.index("--jobs") + 1)) if "--jobs" in words else 1
    names = [word for word in words if not word.startswith("--")]
    for name in names:
        if name not in [row[0] for row in CASES]:
            sys.exit(f"hostile.py: there is no case {name!r}; there are: " + ", ".join(row[0] for row in CASES))
    chosen = [name for name, _, long in CASES if (name in names if names else everything or not long)]
    passed = 0
    # A process of its own for each: cases change folders, limits and the environment.
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        for name, fault in pool.imap_unordered(outcome, chosen):
            passed += fault is None
            if fault is not None:
                print(f"FAILED {name}: {fault}", flush=True)
    failed = len(chosen) - passed
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
