"""The package against the real program, which the environment variable GRAVLAB names."""

import contextlib
import glob
import http.client
import importlib.util
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import numpy as np

import gravlab

if os.path.exists(os.environ.get("GRAVLAB", "")):
    os.environ["GRAVLAB"] = os.path.abspath(os.environ["GRAVLAB"])


class RemoteTest(unittest.TestCase):
    @contextlib.contextmanager
    def served(self, *options):
        """The two addresses of a run in browsers."""
        process = subprocess.Popen([os.environ["GRAVLAB"], "serve", "plummer", "-n", "500", "--backend", "cpu", "--port", "0",
                                    "--autosave", "0", "--size", "320x200", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            first = process.stdout.readline()
            if not first:
                why = process.stderr.read()
                if "no 'serve'" in why or "no OpenGL" in why:
                    self.skipTest(why)
                self.fail(why)
            yield first.split()[1], process.stdout.readline().split()[1]
        finally:
            process.terminate()
            process.communicate()

    def test_a_run_in_browsers_is_read_and_driven(self):
        with self.served() as (drive, watch):
            with gravlab.connect(drive) as run:
                run.do("set run.paused true")
                steps = run.steps
                run.step(3)
                self.assertEqual(run.steps, steps + 3)
                arrays = run.arrays("positions", "ids")
                self.assertEqual(arrays["positions"].shape, (500, 3))
                self.assertEqual(sorted(arrays["ids"]), list(range(500)))
                run["look.glow"] = 0.25
                values, revision = run.changed()
                self.assertEqual(values["look.glow"], 0.25)
                self.assertNotIn("look.glow", run.changed(revision)[0])
                run["look.glow"] = 0.75
                self.assertEqual(run.changed(revision)[0]["look.glow"], 0.75)
                self.assertEqual(run.picture(64, 48).png[:4], b"\x89PNG")
                colours, before = run["look.colour_mode"], run.picture(64, 48).png
                run["look.colour_mode"] = "plain"
                self.assertTrue(run.picture(64, 48).png != before, "nobody watches, so the last frame was before the change")
                run["look.colour_mode"] = colours
                self.assertNotEqual(run._call("picture", width=320, height=200, panels=True), run._call("picture", width=320, height=200))
                run.do("do run")
                self.assertIs(run["run.paused"], False)
                run["run.scene"] = "disc"
                self.assertEqual((run["run.scene"], run.arrays("masses")["masses"].shape), ("disc", (500,)))
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    run.help("look.glow")
                self.assertIn("look.glow", said.getvalue())
                self.assertLess({"run", "save", "lesson"}, {row["name"] for row in run._call("schema")["actions"]})
                with self.assertRaisesRegex(gravlab.Refused, "look.glow"):
                    run["look.glow"] = -3
                with self.assertRaisesRegex(gravlab.Refused, "read alone"):
                    run.replace(masses=np.ones(500))
            watching = gravlab.connect(watch)
            self.assertEqual(watching["look.glow"], 0.75)
            for line in ("set look.glow 0.5", "do run", "do quit", "do save away.csv"):
                with self.assertRaisesRegex(gravlab.Refused, "watching"):
                    watching.do(line)
            with self.assertRaisesRegex(gravlab.Refused, "--files"):
                gravlab.connect(drive).do("do save away.csv")
            with self.assertRaisesRegex(gravlab.Refused, "secret"):
                gravlab.connect(drive[:-1] + "_")
            self.waits_that_nobody_ends(watching)
            self.pictures_that_delay_nobody(watching, gravlab.connect(drive))

    def pictures_that_delay_nobody(self, watching, driving):
        """The second picture for one who watches waits for nine times the time of the first, and the driver for none."""
        place = urllib.parse.urlsplit(watching._page)
        calls = [http.client.HTTPConnection(place.hostname, place.port) for _ in range(2)]
        for call in calls:
            call.request("POST", "/rpc", json.dumps({"id": 1, "method": "picture", "params": {"width": 800, "height": 600}}),
                         {"Authorization": "Bearer " + watching._token})
        select.select([call.sock for call in calls], [], [])
        driving["run.step"]
        self.assertEqual(len(select.select([call.sock for call in calls], [], [], 0)[0]), 1)
        for call in calls:
            self.assertIn(b"png", call.getresponse().read(200))
            call.close()

    def waits_that_nobody_ends(self, watching):
        """Calls of one who watches are few at a time, and end with their connections."""
        place = urllib.parse.urlsplit(watching._page)
        calls = [http.client.HTTPConnection(place.hostname, place.port) for _ in range(33)]
        for call in calls:
            call.request("POST", "/rpc", json.dumps({"id": 1, "method": "do", "params": {"line": "wait run.step < 0 within 1e6"}}),
                         {"Authorization": "Bearer " + watching._token})
        self.assertIn(b"too many calls", calls[-1].getresponse().read())
        for call in calls:
            call.close()
        for _ in range(1000):
            with contextlib.suppress(gravlab.Refused):
                return watching["run.step"]
        self.fail("calls of clients that have left still wait")

    def test_steps_that_nobody_watches_are_those_of_pictures(self):
        with self.served("--fps", "30") as (drive, _), gravlab.connect(drive) as run:
            run["run.speed"] = 0
            begun, steps = time.monotonic(), run.steps
            run.do(f"wait run.step >= {steps + 12} within 20")
            self.assertGreater(time.monotonic() - begun, 0.25, "12 steps at 30 pictures per second")

    def test_files_of_browsers_stay_in_their_folder(self):
        with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
            os.symlink(outside, os.path.join(folder, "link"))
            with self.served("--files", folder) as (drive, _), gravlab.connect(drive) as run:
                run.do("do save inside.csv")
                self.assertTrue(os.path.exists(os.path.join(folder, "inside.csv")))
                for name in ("../away.csv", os.path.join(outside, "away.csv"), "link/away.csv"):
                    with self.assertRaisesRegex(gravlab.Refused, "stay in the folder"):
                        run.do("do save " + name)
                self.assertEqual(os.listdir(outside), [])


class RunTest(unittest.TestCase):
    def test_a_galaxy_is_stepped_read_and_drawn(self):
        with gravlab.open("galaxy", bodies=2048, backend="cpu", accuracy=1e-3) as run:
            self.assertEqual(run.steps, 0)
            before = run.positions
            self.assertEqual(before.shape, (2048, 3))
            run.step(3)
            self.assertEqual(run.steps, 3)
            self.assertGreater(run.time, 0)
            after = run.arrays("positions", "velocities", "masses", "ids", "groups")
            self.assertFalse(np.array_equal(before, after["positions"]))
            self.assertTrue(np.isfinite(after["velocities"]).all())
            self.assertEqual(sorted(after["ids"]), list(range(2048)))
            self.assertTrue((run.positions == after["positions"]).all(), "no step is made unless step() makes it")
            run["softening"] = "0.3 kpc"
            self.assertAlmostEqual(run["softening"], 0.3)
            picture = run.picture(320, 180)
            self.assertTrue(picture.png.startswith(b"\x89PNG"))
            self.assertEqual(picture.png[16:24], (320).to_bytes(4, "big") + (180).to_bytes(4, "big"))

    def test_own_bodies_are_what_the_program_computes_with(self):
        positions = np.array([[-0.5, 0, 0], [0.5, 0, 0]])
        velocities = np.array([[0, -0.5, 0], [0, 0.5, 0]])
        masses = np.array([0.5, 0.5])
        with gravlab.open(positions=positions, velocities=velocities, masses=masses, ids=[7, 3], backend="cpu") as run:
            self.assertEqual(list(run.ids), [7, 3])
            np.testing.assert_array_equal(run.positions, positions)
            np.testing.assert_array_equal(run.velocities, velocities)
            run["softening"] = 0
            # Masses of 1/2 at distance 1: kinetic 2 * 1/2 * 1/2 * 1/4, potential -1/4.
            balance = run.balance
            self.assertAlmostEqual(balance["kinetic"], 0.125)
            self.assertAlmostEqual(balance["potential"], -0.25)
            self.assertAlmostEqual(run.energy, -0.125)
            np.testing.assert_allclose(balance["angular_momentum"], [0, 0, 0.25], atol=1e-15)

    def test_what_is_refused_leaves_the_run(self):
        with gravlab.open("two-body", backend="cpu") as run:
            for attempt in (lambda: run.take(np.full((3, 3), np.nan)),
                            lambda: run.take(np.zeros((3, 2))),
                            lambda: run.take(np.zeros((3, 3)), masses=[1, 1]),
                            lambda: run.take(np.zeros((3, 3)), masses=[1, -1, 1]),
                            lambda: run.take(np.zeros((2, 3)), ids=[1, -5]),
                            lambda: run.__setitem__("softening", -1),
                            lambda: run["no_such_parameter"],
                            lambda: run.arrays("speeds"),
                            lambda: run.take(np.zeros((2, 3)), ids=[5, 5]),
                            lambda: run.take(np.ones((2, 3)) * 1j),
                            lambda: run.take(np.ma.masked_greater(np.arange(6.0).reshape(2, 3), 4)),
                            lambda: run.take([[1, 2, 3], [4, 5]]),
                            lambda: run.take([["1", "2", "3"]]),
                            lambda: run.take(np.zeros((2, 3), "M8[s]")),
                            lambda: run.do("get run.step\nget run.time"),
                            lambda: run.do(""), lambda: run.do(" \t"), lambda: run.do("# a comment"), lambda: run.do(None),
                            lambda: run.do("get run.energy_change"),
                            lambda: run[3],
                            lambda: run.step(-1), lambda: run.step(None), lambda: run.step(1.5), lambda: run.step(2**70),
                            lambda: run.picture("a", 1)):
                with self.assertRaises(gravlab.Refused) as caught:
                    attempt()
                self.assertGreater(len(str(caught.exception)), 10)
            self.assertEqual(run["bodies"], 2)
            self.assertEqual(run["merged"], 0)
            run.step(0)
            run.step()
            self.assertEqual(run.steps, 1)
        for attempt in (lambda: gravlab.open("no-such-scene"), lambda: gravlab.open("--help"), lambda: gravlab.open("a\0b"),
                        lambda: gravlab.open(3), lambda: gravlab.open(""), lambda: gravlab.open("two-body", help=True),
                        lambda: gravlab.open("two-body", time_step="soon"), lambda: gravlab.open("galaxy", units="galactic"),
                        lambda: gravlab.open(masses=[1, 2]), lambda: gravlab.open(program=3),
                        lambda: gravlab.open(positions=np.eye(3), bodies=10), lambda: gravlab.open(positions=np.eye(3), seed=1),
                        lambda: gravlab.open(positions=np.eye(3), units="parsec")):
            with self.assertRaises(gravlab.Refused) as caught:
                attempt()
            self.assertGreater(len(str(caught.exception)), 10)
        with self.assertRaisesRegex(gravlab.Refused, "^unknown option '--nonsense'; 'gravlab play --help' lists them$"):
            gravlab.open("two-body", nonsense=3)

    def test_options_act_on_bodies_from_arrays(self):
        options = {"time_step": 0.01, "softening": 0.1, "integrator": "rk4", "law": "coulomb"}
        with gravlab.open(positions=np.eye(3), masses=[1, -1, 1], backend="cpu", **options) as run:
            self.assertEqual({name: run[name] for name in options}, options)
            self.assertEqual(list(run.masses), [1, -1, 1])

    def test_the_unit_that_goes_in_comes_out(self):
        places, speeds, masses = np.array([[0, 0, 0], [8.0, 0, 0]]), np.array([[0, 0, 0], [0, 210.0, 0]]), np.array([9e10, 1e7])
        names = {"galactic": ["kpc", "km/s", "Msun", "Myr"], "gadget": ["kpc", "km/s", "1e10 Msun", "Myr"],
                 "si": ["m", "m/s", "kg", "s"], None: ["L", "L/T", "M", "T"]}
        for units, expected in names.items():
            with gravlab.open(positions=places, velocities=speeds, masses=masses, units=units, backend="cpu") as run:
                for _ in range(2):
                    self.assertEqual(list(run.units.values()), expected)
                    now = run.arrays("positions", "velocities", "masses")
                    for name, given in (("positions", places), ("velocities", speeds), ("masses", masses)):
                        np.testing.assert_allclose(now[name], given, rtol=1e-15)
                    self.assertAlmostEqual(run.balance["kinetic"] / (0.5 * 1e7 * 210**2), 1, 12)
                    run.take(**now)  # without units: those of the run
        with gravlab.open("galaxy", bodies=2000, backend="cpu") as run:
            self.assertEqual(run.units, {"length": "kpc", "velocity": "km/s", "mass": "Msun", "time": "Myr"})
            self.assertTrue(1e11 < run.masses.sum() < 1e13)
            run.step()
            self.assertAlmostEqual(run.time / (run["time"] * 4.71486), 1, 12)
            self.assertIn("Myr", repr(run))

    def test_replace_continues_the_experiment(self):
        for scene, names in (("stream", ("fields", "time_step", "softening")), ("planetesimals", ("contact", "radius")),
                             ("cloth", ("bonds", "integrator")), ("charges", ("law", "strength")), ("galaxy", ("softening",))):
            size = {} if scene == "cloth" else {"bodies": 300}
            with gravlab.open(scene, backend="cpu", time_step=1e-3, **size) as run:
                run.step(3)
                names += ("step", "time", "time_step", "units", "scene")
                before, balance = {name: run[name] for name in names}, run.balance
                run.replace(velocities=run.velocities)
                self.assertEqual({name: run[name] for name in names}, before, scene)
                for name in ("kinetic", "potential"):
                    self.assertAlmostEqual(run.balance[name] / balance[name], 1, 12, scene)
                run.step()
                self.assertEqual(run.steps, 4)

    def test_an_interrupted_call_leaves_run_and_connection(self):
        """Ctrl C reaches the whole process group; and no answer belongs to another line afterwards."""
        client = "import gravlab, os, signal, threading\n" \
                 "run = gravlab.open('plummer', bodies=4096, backend='cpu')\n" \
                 "for wait in (0.3, 0.05):\n" \
                 "    threading.Timer(wait, lambda: os.killpg(0, signal.SIGINT)).start()\n" \
                 "    try: run.step(10**6)\n" \
                 "    except KeyboardInterrupt: pass\n" \
                 "    print(run['integrator'], run['scene'], run['bodies'], run.positions.shape)\n" \
                 "print(run.do('nowait do step 3'), run['integrator'])\n"
        done = subprocess.run([sys.executable, "-c", client], capture_output=True, text=True, start_new_session=True, timeout=120)
        self.assertEqual(done.stdout.splitlines(), 2 * ["leapfrog plummer 4096 (4096, 3)"] + ["None leapfrog"], done.stderr)

    def test_two_threads_get_their_own_arrays(self):
        with gravlab.open("plummer", bodies=2000, backend="cpu") as run:
            wrong = []

            def read(name, expected):
                for _ in range(30):
                    if not np.array_equal(getattr(run, name), expected):
                        wrong.append(name)

            threads = [threading.Thread(target=read, args=(name, getattr(run, name))) for name in ("positions", "velocities", "masses")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_a_dead_program_is_an_exception_with_its_words(self):
        run = gravlab.open("two-body", backend="cpu")
        run._errors.seek(0)
        self.assertNotRegex(run._errors.read().decode(), "(?m)^gravlab: *$", "a note without words")
        os.kill(run._process.pid, signal.SIGKILL)
        # Notes about the start are no cause of the end.
        with self.assertRaisesRegex(gravlab.Ended, "^gravlab has ended by signal 9$"):
            for _ in range(2):
                run.positions
        run.close()
        run.close()
        with self.assertRaises(gravlab.Ended):
            run.step()
        with self.assertRaisesRegex(gravlab.GravlabError, "/no/such/program cannot be started: No such file"):
            gravlab.open(program="/no/such/program")

    def test_closing_frees_memory_and_program(self):
        open_before = len(os.listdir("/proc/self/fd"))
        run = gravlab.open("two-body", backend="cpu")
        process = run._process
        run.close()
        self.assertIsNotNone(process.poll())
        self.assertEqual(len(os.listdir("/proc/self/fd")), open_before)
        run = gravlab.open("two-body", backend="cpu")
        process = run._process
        del run
        self.assertIsNotNone(process.poll(), "nothing refers to the run any more")

    def test_parameters_are_listed_and_explained(self):
        rows = gravlab.parameters()
        self.assertIn("run.softening", [row["path"] for row in rows])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            gravlab.help("softening")
        row = next(row for row in rows if row["path"] == "run.softening")
        for text in (row["path"], row["idea"], row["range"], row["default"]):
            self.assertIn(text, said.getvalue())
        self.assertNotIn("run.seed", said.getvalue())

    def test_arrays_of_many_bodies_are_whole_and_stay(self):
        """Large enough for several threads on both sides; a smaller run then uses the same memory."""
        with gravlab.open("plummer", bodies=300_000, backend="cpu", accuracy=1e-2) as run:
            self.assertTrue((run.ids == np.arange(300_000)).all())
            everything = run.arrays("positions", "velocities", "masses", "ids", "groups", "responses")
            for name in everything:
                np.testing.assert_array_equal(everything[name], run.arrays(name)[name], name)
            kept = everything["positions"].copy()
            run.take(kept[:500], masses=np.full(500, 1 / 500))
            np.testing.assert_array_equal(run.positions, kept[:500])
            np.testing.assert_array_equal(everything["positions"], kept, "an array that was given stays as it is")

    def test_a_loop_of_ones_own_edits_bodies(self):
        with gravlab.open("two-body", backend="cpu") as run:
            self.assertEqual(list(run.loop(7, every=3)), [3, 6, 7])
            time_before, ids = run.time, run.ids
            run.replace(velocities=0.5 * run.velocities)
            self.assertEqual(run.time, time_before)
            np.testing.assert_array_equal(run.ids, ids)
            before = run.positions
            for attempt in (lambda: run.replace(), lambda: run.replace(speeds=1), lambda: run.replace(positions=np.zeros((3, 3))),
                            lambda: run.replace(masses=["a", "b"]), lambda: run.replace(positions=np.full((2, 3), np.inf)),
                            lambda: next(run.loop(-1)), lambda: next(run.loop(1, every=0))):
                with self.assertRaises(gravlab.Refused):
                    attempt()
            np.testing.assert_array_equal(run.positions, before)

    def test_without_opengl_everything_but_pictures_works(self):
        nowhere = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json", "__EGL_VENDOR_LIBRARY_DIRS": "/nowhere"}
        before = {name: os.environ.get(name) for name in nowhere}
        os.environ.update(nowhere)
        try:
            with gravlab.open("plummer", bodies=500, backend="cpu") as run:
                run.step(2)
                self.assertEqual(run.steps, 2)
                run["integrator"] = "yoshida4"
                run.replace(velocities=run.velocities)
                with self.assertRaisesRegex(gravlab.Refused, "no OpenGL"):
                    run.picture(64, 64)
                run.step()
                self.assertEqual(run.steps, 3, "replace() continues; what is refused changes nothing")
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})

    def test_a_client_that_is_killed_takes_its_program_with_it(self):
        """During a wait for ten million steps, and leaves no picture of a dead process behind."""
        client = subprocess.Popen([sys.executable, "-c", "import gravlab, sys\nrun = gravlab.open('plummer', bodies=2000, backend='cpu')\n"
                                   "print(run._process.pid, flush=True)\nrun.step(10**7)"], stdout=subprocess.PIPE, text=True)
        program = int(client.stdout.readline())
        time.sleep(1)  # the wait has begun; where it has not, the program sees the end of its lines
        client.kill()
        client.wait()
        client.stdout.close()
        left = os.path.join(tempfile.gettempdir(), f"gravlab-picture-{client.pid}-left")
        os.mkdir(left)

        def ended():
            try:
                with open(f"/proc/{program}/stat") as file:
                    return file.read().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                return True

        for _ in range(1200):
            if ended():
                break
            time.sleep(0.1)
        runs_on = not ended()
        if runs_on:
            os.kill(program, signal.SIGKILL)
        self.assertFalse(runs_on, "the program runs without its client")
        gravlab.open("two-body", backend="cpu").close()
        self.assertFalse(os.path.exists(left))

    def test_every_cell_of_the_notebooks_works(self):
        here = os.path.dirname(os.path.abspath(__file__))
        notebooks = glob.glob(os.path.join(here, "../../../docs/notebooks/*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            with open(path, encoding="utf-8") as file:
                cells = json.load(file)["cells"]
            names, said = {}, io.StringIO()
            with contextlib.redirect_stdout(said):
                for cell in cells:
                    if cell["cell_type"] == "code":
                        exec(compile("".join(cell["source"]), f"{path}, {cell['id']}", "exec"), names)
            self.assertLess(names["drift"], 1e-2)
            self.assertGreater(names["known"].sum(), 3)
            self.assertLess(np.median(names["change"]), 0.2)
            # The measured curve is that of the mass within, which is how discs are held together.
            before = names["before"][names["known"]]
            self.assertLess(np.median(np.abs(before[:, 1] / before[:, 2] - 1)), 0.3)
            self.assertIn("run.softening", said.getvalue())

    @unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("venv", "ensurepip", "setuptools", "wheel")),
                         "python3-venv, python3-setuptools and python3-wheel install a package in an environment of its own")
    def test_it_is_installed_in_an_environment_of_its_own(self):
        """With the packages of the system and without the network."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(source, os.path.join(folder, "source"))  # building writes into its folder
            there = os.path.join(folder, "there")
            without = ["--without-pip"] if importlib.util.find_spec("pip") else []  # then that of the system installs here
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", *without, there], check=True)
            python = os.path.join(there, "bin/python")
            alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-q", "--no-deps",
                            "--no-build-isolation", "--no-index", os.path.join(folder, "source")], check=True, env=alone)
            done = subprocess.run([python, "-c", "import gravlab, importlib.metadata\n"
                                   "with gravlab.open('two-body', backend='cpu') as run: run.step()\n"
                                   "print(importlib.metadata.version('gravlab'), gravlab.__file__)"],
                                  cwd=folder, capture_output=True, text=True, env=alone)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = subprocess.run([os.environ["GRAVLAB"], "--version"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(done.stdout.split()[0], said.split()[1], "package and program have one version")
            self.assertIn(os.path.realpath(there), os.path.realpath(done.stdout.split()[1]))


if __name__ == "__main__":
    unittest.main()
