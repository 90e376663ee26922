"""A run of gravlab: a program beside this one that takes lines and answers each in JSON, and memory that both share."""

import fcntl
import json
import mmap
import operator
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import weakref
from builtins import open as _open_file
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_HEADER = struct.Struct("<8sIIQqddd9d")  # see docs/python.md
_MAGIC = b"GRAVBLK1"
_ALIGNED = 64
# Name, bit, type and numbers of a body, in their order in the block.
_ARRAYS = (
    ("positions", 1, np.float64, 3),
    ("velocities", 2, np.float64, 3),
    ("masses", 4, np.float64, 1),
    ("ids", 8, np.uint32, 1),
    ("groups", 16, np.uint8, 1),
    ("responses", 32, np.float64, 1),
)
_LONGEST_LINE = 4096
_MOST_STEPS = 2**53
# Numpy copies without Python's lock, so that threads share the copy of a large array: of 24 MB, half its time on two cores.
_PART = 1 << 22  # bytes of a thread at least
_PIECE_SECONDS = 0.25
_THREADS = min(4, len(os.sched_getaffinity(0)))
_F_ADD_SEALS, _F_SEAL_SHRINK = 1033, 0x0002  # linux/fcntl.h


class GravlabError(Exception):
    """What gravlab says went wrong."""


class Refused(GravlabError, ValueError):
    """A mistake in what was requested, or something that cannot be now. Nothing has changed."""


class Failed(GravlabError, RuntimeError):
    """A wait that did not hold, or a file, device or memory that failed."""


class Ended(GravlabError, RuntimeError):
    """The program has ended."""


class Picture:
    """A picture as PNG. A notebook shows it by itself."""

    def __init__(self, png):
        self.png = png

    def save(self, path):
        """Writes the PNG to a file."""
        with _open_file(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self):
        return self.png


def _program(program=None):
    """The command of the program, or a sentence on where it was looked for."""
    for found in (program, os.environ.get("GRAVLAB"), shutil.which("gravlab")):
        if found:
            try:
                return os.fspath(found)
            except TypeError:
                raise Refused(f"a program is a path, not {found!r}") from None
    raise GravlabError("no program 'gravlab' on the PATH; install it, set GRAVLAB to its path, or give program=")


def _alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _sweep():
    """Removes pictures that a client left which was killed while it fetched them."""
    for name in os.listdir(tempfile.gettempdir()):
        found = re.fullmatch(r"gravlab-picture-(\d+)-.*", name)
        if found and not _alive(int(found[1])):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)


def _copied(source):
    """A copy of an array, by several threads where it is large."""
    parts = min(_THREADS, source.nbytes // _PART)
    if parts < 2:
        return source.copy()
    result = np.empty_like(source)
    ends = [len(source) * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(lambda part: np.copyto(result[ends[part]:ends[part + 1]], source[ends[part]:ends[part + 1]]), range(parts)))
    return result


def _numbers_of_block(memory):
    """Header and arrays of a block; the arrays are copies."""
    head = _HEADER.unpack_from(memory)
    if head[0] != _MAGIC:
        raise Failed("the program has shared bodies in a form that this version does not know")
    bodies, place, found = head[3], _HEADER.size, {}
    for name, bit, kind, width in _ARRAYS:
        if not head[1] & bit:
            continue
        place = (place + _ALIGNED - 1) // _ALIGNED * _ALIGNED
        flat = np.frombuffer(memory, kind, bodies * width, place)
        found[name] = _copied(flat.reshape(bodies, width) if width > 1 else flat)
        place += flat.nbytes
        del flat
    return head, found


def help(what="", program=None):
    """Prints what the parameters are whose path, label or idea has this text: their units, ranges and defaults."""
    print(_described(parameters(program), what))


def _described(rows, what):
    texts = []
    for row in rows:
        if what.lower() not in " ".join(str(row.get(key, "")) for key in ("path", "label", "idea")).lower():
            continue
        facts = [f"{key} {row[key]}" for key in ("unit", "range", "values", "default") if row.get(key) not in (None, "", [])]
        texts.append(f"{row['path']}\n    {row.get('idea') or row.get('label', '')}" + ("\n    " + "; ".join(facts) if facts else ""))
    return "\n".join(texts) if texts else f"no parameter has '{what}' in its path, label or idea"


def parameters(program=None):
    """All parameters of the program: a list of dicts with path, label, unit, range, default and idea."""
    done = subprocess.run([_program(program), "list", "parameters", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return json.loads(done.stdout)


def _options(options):
    """Options of the command line from keywords: time_step=0.1 is --time-step 0.1, window=True is --window."""
    words = []
    for name, value in options.items():
        if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) or name in ("help", "version", "share"):
            raise Refused(f"open() has no option '{name}'; those of 'gravlab play --help' can be given")
        flag = "-n" if name == "bodies" else "--" + {"time_step": "dt"}.get(name, name).replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not False and one is not None:
                words += [flag, str(one)]
    return words


def _whole(what, value):
    """A whole number that was given as such, or as 5.0."""
    try:
        return int(value) if isinstance(value, (float, np.floating)) and value == int(value) else operator.index(value)
    except (TypeError, ValueError, OverflowError):
        raise Refused(f"{what} is a whole number, not {value!r}") from None


def _numbers(name, values):
    """An array of numbers. What numpy would turn into others without a word is refused."""
    if np.ma.is_masked(values):
        raise Refused(f"{name} have masked values; fill them, or leave those bodies out")
    try:
        array = np.asarray(values)
        array = array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise Refused(f"{name} are no numbers: {error}") from error
    if array.dtype.kind not in "fiub":
        raise Refused(f"{name} are {array.dtype}; expected real numbers")
    return array


def _bodies(positions, velocities, masses, ids, groups):
    """Arrays of bodies by name. Without masses all weigh 1/N; one mass is that of each body."""
    places = _numbers("positions", positions)
    given = {"positions": places, "velocities": velocities, "masses": masses, "ids": ids, "groups": groups}
    if places.ndim != 2 or places.shape[1] != 3 or len(places) == 0:
        raise Refused(f"positions have the shape {places.shape}; expected (N, 3)")
    if masses is None or np.ndim(masses) == 0:
        given["masses"] = np.full(len(places), 1 / len(places) if masses is None else _numbers("masses", masses))
    return given


def _scene(scene):
    """The word of the command line for a scene or a file."""
    try:
        word = os.fsdecode(scene)
    except TypeError:
        raise Refused(f"a scene is a name, and a file is a path, not {scene!r}") from None
    if word.startswith("-"):
        raise Refused(f"'{word}' is neither a scene nor a file; a file of that name is './{word}'")
    return word


def open(scene=None, *, positions=None, velocities=None, masses=None, ids=None, groups=None, units=None,
         program=None, **options):
    """Starts a run of a scene, of a file, or of bodies from arrays.

    scene       name of a scene or path of a file; see 'gravlab list scenes'; without it the galaxy
    positions   (N, 3) lengths, instead of a scene; with velocities (N, 3), masses (N,), ids and groups
    units       unit system of the arrays or of the file, such as "galactic"; without it G = 1, or as the file says
    program     the program; without it $GRAVLAB, or 'gravlab' on the PATH
    options     of 'gravlab play', such as bodies=65536, accuracy=1e-3, backend="cpu", time_step=0.01, window=True

    Without velocities the bodies rest; without masses all weigh 1/N. The run is closed at the end of a with block, by
    close(), or when nothing refers to it any more.
    """
    bodies = None
    if positions is not None:
        if scene is not None:
            raise Refused("give a scene or positions, not both")
        bodies = _bodies(positions, velocities, masses, ids, groups)
    else:
        for name, array in (("velocities", velocities), ("masses", masses), ("ids", ids), ("groups", groups)):
            if array is not None:
                raise Refused(f"{name} belong to positions, which are missing")
    if units is not None:
        options["units"] = units
    return Run(_program(program), _scene("galaxy" if scene is None else scene), options, bodies)


def _end(process, descriptor, errors, shared):
    """Ends the program and frees the memory; also for a run that nothing refers to any more."""
    for memory in shared:
        memory.close()
    shared.clear()
    if process.poll() is None:
        try:
            process.stdin.close()
            process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, errors):
        try:
            stream.close()
        except OSError:
            pass
    try:
        os.close(descriptor)
    except OSError:
        pass


class Run:
    """A run of gravlab. Arrays are copies of the last complete step, in the order of ids.

    run["softening"]         reads a parameter of the run; any other by its path: run["look.glow"]
    run["softening"] = 0.1   sets it; a text may carry a unit: "0.3 kpc"
    """

    def __init__(self, program, scene, options, bodies=None):
        _sweep()
        words = _options(options)
        self._descriptor = os.memfd_create("gravlab", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        # It never becomes shorter, so that both sides may keep it mapped.
        fcntl.fcntl(self._descriptor, _F_ADD_SEALS, _F_SEAL_SHRINK)
        self._shared = []  # the mapped memory, once bodies have been exchanged
        self._line = 0
        self._buffer = b""  # of answers that nobody has read
        self._torn = False  # an exception has ended an exchange, so that answers of earlier lines may still come
        self._program = program
        self._lock = threading.RLock()  # an exchange is of one thread
        self._errors = tempfile.TemporaryFile()
        self._begun = 0  # bytes of them from before the first answer: notes about the start, which ended nothing
        try:
            if bodies is not None:
                self._put(bodies)
                scene = f"/proc/self/fd/{self._descriptor}"
            self._process = self._started([program, "play", "-", scene, "--share", str(self._descriptor)] + words)
        except BaseException:
            for memory in self._shared:
                memory.close()
            os.close(self._descriptor)
            self._errors.close()
            raise
        self._ended = weakref.finalize(self, _end, self._process, self._descriptor, self._errors, self._shared)
        try:
            self.do("set run.paused true")  # steps are made by step() alone
        except BaseException as error:
            code = self._process.poll()
            self.close()
            if isinstance(error, Ended) and code in (2, 3):
                raise Refused(self._why) from None
            if isinstance(error, Ended) and code in (4, 5, 6, 7):
                raise Failed(self._why) from None
            raise
        self._begun = os.fstat(self._errors.fileno()).st_size

    def _started(self, words):
        try:
            # In a session of its own: Ctrl C in the terminal interrupts this process and leaves the run.
            return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0,
                                    pass_fds=[self._descriptor], start_new_session=True)
        except OSError as error:
            raise GravlabError(f"{words[0]} cannot be started: {error.strerror}") from error
        except ValueError as error:
            raise Refused(f"a scene, a file or an option cannot be given: {error}") from error

    # The lines

    def do(self, line):
        """Does one line of a script and gives its value; see docs/scripts.md."""
        if not isinstance(line, str):
            raise Refused(f"a line of a script is a text, not {line!r}")
        if "\n" in line or "\0" in line:
            raise Refused("a line of a script has no line break and no NUL")
        bytes_ = line.encode(errors="surrogateescape")
        if len(bytes_) > _LONGEST_LINE:
            raise Refused(f"a line of a script has at most {_LONGEST_LINE} bytes")
        first = line.strip(" \t\r").split(None, 1)
        if not first or first[0].startswith("#"):
            raise Refused("a blank line or a comment has no answer")
        with self._lock:
            if not self._ended.alive:
                raise Ended("the run is closed")
            if self._torn:
                self._rejoin()
            self._torn = True
            self._send(bytes_)
            self._line += 1
            said = self._answer()
            # Ends of earlier lines that did not wait may come between.
            while said.get("line") != self._line or (said["status"] == "running" and first[0] != "nowait"):
                said = self._answer()
            self._torn = False
        return self._value(said)

    @staticmethod
    def _value(said):
        """The value of an answer; Refused and Failed carry its sentence."""
        if said["status"] == "refused" or (said["status"] == "applied" and said.get("value") is None and "why" in said):
            raise Refused(said["why"])
        if said["status"] == "failed":
            raise Failed(said["why"])
        return said.get("value")

    def _send(self, line):
        line += b"\n"
        try:
            while line:
                line = line[os.write(self._process.stdin.fileno(), line):]
        except (BrokenPipeError, ValueError):
            raise Ended(self._last_words()) from None

    def _answer(self):
        """The next answer of the program, to whatever line."""
        while b"\n" not in self._buffer:
            try:
                more = os.read(self._process.stdout.fileno(), 65536)
            except ValueError:
                more = b""
            if not more:
                raise Ended(self._last_words())
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise Failed(f"{self._program} does not answer as gravlab does: {line[:60].decode(errors='replace')!r}")
        return said

    def _rejoin(self):
        """Finds the number of the newest line, and drops the answers before it."""
        self._buffer = b""
        mark = random.randrange(1, 1 << 30) * 1e-15  # seconds, which are the value of the answer
        self._send(f"wait seconds {mark!r}".encode())
        while True:
            try:
                said = self._answer()
            except Failed:  # the rest of a line of which the beginning is lost
                continue
            if said.get("value") == mark:
                self._line = said["line"]
                return

    def _last_words(self):
        """What the program said before it ended."""
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._errors.seek(self._begun)
        lines = [line for line in self._errors.read().decode(errors="replace").splitlines() if line]
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        # A list of all options is no help in a traceback.
        last = re.sub("^(gravlab: unknown option '.*'); valid: --help.*", r"\1; 'gravlab play --help' lists them",
                      lines[-1] if lines else "")
        self._why = last[len("gravlab: "):] if last.startswith("gravlab: ") else last or "no reason was given"
        return f"gravlab has ended {how}" + (": " + last if last else "")

    @staticmethod
    def _path(name):
        if not isinstance(name, str):
            raise Refused(f"a parameter has a name, such as 'softening', not {name!r}")
        return name if "." in name else "run." + name

    def __getitem__(self, name):
        return self.do(f"get {self._path(name)}")

    def __setitem__(self, name, value):
        text = str(bool(value)).lower() if isinstance(value, (bool, np.bool_)) else str(value)
        quoted = json.dumps(text) if isinstance(value, str) and " " in text else text
        self.do(f"set {self._path(name)} {quoted}")

    # Time

    def step(self, count=1):
        """Makes `count` steps and waits for the last one."""
        count = _whole("a count of steps", count)
        if not 0 <= count <= _MOST_STEPS:
            raise Refused(f"step() needs a count from 0 to {_MOST_STEPS}")
        with self._lock:
            target, piece = self.steps + count, 1
            # In pieces of about a quarter of a second, so that an interrupted loop leaves little work to the program.
            while count > 0:
                piece = min(piece, count)
                begun = time.monotonic()
                self.do(f"do step {piece}")
                count -= piece
                self.do(f"wait run.step >= {target - count} within 1000000")
                taken = time.monotonic() - begun
                if taken < _PIECE_SECONDS / 2:
                    piece *= 2
                elif taken > 2 * _PIECE_SECONDS:
                    piece = max(1, piece // 2)

    def loop(self, count, every=1):
        """A loop of one's own over `count` steps, entered after each `every` of them: for step in run.loop(1000, every=10): ..."""
        count, every = _whole("a count of steps", count), _whole("every", every)
        if count < 0 or every < 1:
            raise Refused("loop() needs a count of at least 0, and every of at least 1")
        for done in range(0, count, every):
            self.step(min(every, count - done))
            yield self.steps

    @property
    def time(self):
        """Simulated time, in run.units["time"]."""
        return self._share(())[0][5]

    @property
    def steps(self):
        """Steps since the start."""
        return self["step"]

    # Bodies

    @property
    def units(self):
        """Units of arrays, times and energies: {"length": "kpc", "velocity": "km/s", "mass": "Msun", "time": "Myr"}.

        They are those that the bodies came in, else those of the scene; "L", "L/T", "M" and "T" where G = 1.
        """
        return dict(zip(("length", "velocity", "mass", "time"), self["units"].split(", ")))

    def _share(self, arrays):
        """Header and arrays of the last complete step; the arrays are copies."""
        with self._lock:
            return self._shared_now(arrays)

    def _shared_now(self, arrays):
        self.do("do share " + (",".join(arrays) or "header"))
        return _numbers_of_block(self._memory())

    def _memory(self):
        """The shared memory, mapped again when it has grown."""
        size = os.fstat(self._descriptor).st_size
        if not self._shared or len(self._shared[0]) < size:
            for memory in self._shared:
                memory.close()
            self._shared[:] = [mmap.mmap(self._descriptor, size)]
        return self._shared[0]

    def arrays(self, *names):
        """Several arrays of one step at once: run.arrays("positions", "velocities") is a dict of them."""
        return self._share(names)[1]

    @property
    def positions(self):
        """(N, 3) lengths, in run.units."""
        return self._share(["positions"])[1]["positions"]

    @property
    def velocities(self):
        """(N, 3) velocities, in run.units."""
        return self._share(["velocities"])[1]["velocities"]

    @property
    def masses(self):
        """(N,) masses; charges under the Coulomb law."""
        return self._share(["masses"])[1]["masses"]

    @property
    def ids(self):
        """(N,) stable names of the bodies: which row of the arrays is which."""
        return self._share(["ids"])[1]["ids"]

    @property
    def groups(self):
        """(N,) the galaxy or species in which each body began."""
        return self._share(["groups"])[1]["groups"]

    @property
    def balance(self):
        """Energies and momenta of the last complete step: kinetic, potential, momentum, angular_momentum, centre.

        Energies are masses times squared velocities, in run.units.
        """
        head, _ = self._share(["energies"])
        return {"kinetic": head[6], "potential": head[7], "momentum": np.array(head[8:11]),
                "angular_momentum": np.array(head[11:14]), "centre": np.array(head[14:17])}

    @property
    def energy(self):
        """Kinetic and potential energy together."""
        balance = self.balance
        return balance["kinetic"] + balance["potential"]

    def replace(self, **arrays):
        """Continues from the present bodies with some of their arrays replaced: run.replace(velocities=0.9 * run.velocities).

        It is an edit between two steps: law, fields, bonds, contacts, settings, time and count of steps stay. The program
        checks every number. What it refuses leaves the run as it was.
        """
        unknown = set(arrays) - {"positions", "velocities", "masses", "groups", "responses"}
        if unknown or not arrays:
            raise Refused("replace() takes positions, velocities, masses, groups or responses"
                          + (f", not {sorted(unknown)[0]}" if unknown else ""))
        with self._lock:
            self._put(arrays, self["bodies"])
            self.do("do replace")

    def take(self, positions, velocities=None, masses=None, *, ids=None, groups=None, units=None):
        """Begins a run anew from arrays, with the settings that suit them: softening, time step, law and fields are new.

        Without velocities the bodies rest; without masses all weigh 1/N. The numbers are in run.units, or in the unit
        system `units`, which the run then has. The program checks every number. What it refuses leaves the run as it was.
        """
        with self._lock:
            self._put(_bodies(positions, velocities, masses, ids, groups))
            self.do("do take" + (f" {units}" if units else ""))
            self.do("set run.paused true")

    def _put(self, given, bodies=None):
        """Writes arrays into the shared memory, of as many bodies."""
        if bodies is None:
            bodies = len(given["positions"])
        place, bits, parts = _HEADER.size, 0, []
        for name, bit, kind, width in _ARRAYS:
            if given.get(name) is None:
                continue
            shape, array = (bodies, width) if width > 1 else (bodies,), _numbers(name, given[name])
            if array.shape != shape:
                raise Refused(f"{name} have the shape {array.shape}; expected {shape}")
            if kind is not np.float64 and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() > np.iinfo(kind).max):
                raise Refused(f"{name} are whole numbers from 0 to {np.iinfo(kind).max}")
            if name == "ids" and len(np.unique(array)) < bodies:
                raise Refused("two bodies have the same id; ids are unique")
            place = (place + _ALIGNED - 1) // _ALIGNED * _ALIGNED
            parts.append((place, np.ascontiguousarray(array, kind)))
            bits |= bit
            place += parts[-1][1].nbytes
        if os.fstat(self._descriptor).st_size < place:
            os.ftruncate(self._descriptor, place)
        memory = self._memory()
        memory[:_HEADER.size] = _HEADER.pack(_MAGIC, bits, 0, bodies, 0, 0.0, *([float("nan")] * 2), *([0.0] * 9))
        for begin, array in parts:
            np.frombuffer(memory, array.dtype, array.size, begin)[:] = array.ravel()

    def help(self, what=""):
        """Prints what the parameters are that run[...] reads and sets and that have this text; see gravlab.help()."""
        print(_described(parameters(self._program), what))

    # Pictures

    def picture(self, width=1280, height=720):
        """A picture of the last complete step."""
        width, height = _whole("a width", width), _whole("a height", height)
        with self._lock, tempfile.TemporaryDirectory(prefix=f"gravlab-picture-{os.getpid()}-") as folder:
            path = os.path.join(folder, "picture.png")
            self.do(f"set picture.width {width}")
            self.do(f"set picture.height {height}")
            self.do(f"do picture {json.dumps(path)}")
            with _open_file(path, "rb") as file:
                return Picture(file.read())

    # The end

    def close(self):
        """Ends the program and frees the memory. A closed run can be closed again."""
        self._ended()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        if not self._ended.alive:
            return "<gravlab run, closed>"
        return f"<gravlab run of {self['scene']}, {self['bodies']} bodies, t = {self.time:g} {self.units['time']}>"
