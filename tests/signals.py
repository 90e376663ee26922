#!/usr/bin/env python3
"""A run that is interrupted, killed or has infinite numbers loses nothing: its file continues exactly. Also of several processes.

    tests/signals.py BINARY

Needs Python's standard library; ranks need mpirun. Rule: a test waits for an event, never for a time."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from program import BINARY, PATIENCE, Scratch, Started, info, lines_of, needs_hdf5, run, until


class Interrupt(Scratch):
    @needs_hdf5
    def test_saves_the_last_complete_step_and_goes_on_exactly(self):
        words = ("run", "plummer", "-n", 2048, "--contact", "bounce", "--radius", "1e-4")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            state = f"{self.folder.name}/{code}"
            program = Started(*words, "--steps", 10**9, "--every", 20, "--csv", "e.csv", "--events", "c.csv", "--final", "f.csv",
                              XDG_STATE_HOME=state)
            program.says("plummer")
            until(lambda: program.worked() > 0.1, "some steps")
            ended, _, err = program.end(number)
            self.assertEqual(ended, code, err)
            left, = [path for path in pathlib.Path(state, "gravlab").iterdir() if path.name != "recent.txt"]
            self.assertEqual(pathlib.Path(state, "gravlab/recent.txt").read_text(), f'"{left}"\n')
            self.assertIn(f"continue with: gravlab run {left}", err)
            self.assertGreaterEqual(len(lines_of("e.csv.partial")), 2, "the rows so far are kept")
            self.assertTrue(lines_of("c.csv.partial")[0].startswith("step,time,"))
            for name in ("e.csv", "c.csv"):
                self.assertIn(name + ".partial", err)
                self.assertFalse(os.path.exists(name), "a part is no whole")
                os.remove(name + ".partial")
            self.assertFalse(os.path.exists("f.csv"))
            whole = run(*words, "--steps", info(left)["step"] + 2, "--final", "-")
            rest = run("run", left, "--steps", 2, "--final", "-")
            self.assertEqual(whole[1], rest[1], rest[2])

    @needs_hdf5
    def test_names_its_file_and_says_a_failure(self):
        def interrupted(*more):
            program = Started("run", "two-body", "--steps", 10**9, *more).says("two-body")
            shutil.rmtree("gone", ignore_errors=True)
            return program.end(signal.SIGTERM)
        self.assertEqual(interrupted("--checkpoint", "here.hdf5")[0], 143)
        info("here.hdf5")["step"]
        self.assertFalse(os.path.exists("XDG_STATE_HOME/gravlab"))
        os.mkdir("gone")
        code, _, err = interrupted("--checkpoint", "gone/here.hdf5")
        self.assertEqual(code, 143)
        self.assertIn("could not be saved", err)
        pathlib.Path("XDG_STATE_HOME").write_text("in the way")
        self.assertRegex(interrupted()[2], "could not be saved.*gravlab")
        os.remove("XDG_STATE_HOME")
        self.assertEqual(run("run", "two-body", "--steps", 1, "--checkpoint", "x.csv")[0], 2)

    def test_a_second_signal_does_not_wait(self):
        # The energy of that many bodies takes the host a minute, during which signals are not checked.
        program = Started("run", "plummer", "-n", 262144, "--backend", "cpu", "--steps", 5, "--csv", "energy.csv").says("plummer")
        program.process.send_signal(signal.SIGINT)
        time.sleep(0.7)  # signals within half a second are one
        code, _, err = program.end(signal.SIGTERM)
        self.assertEqual(code, 143, "the second signal's, at once, and not the first's after the sum")
        self.assertNotIn("continue with", err, "it waited until it could save")

    @needs_hdf5
    def test_a_signal_that_comes_twice_at_once_is_one(self):
        program = Started("run", "plummer", "-n", 2048, "--steps", 10**9, "--checkpoint", "kept.hdf5").says("plummer")
        code, _, err = program.end(signal.SIGTERM, signal.SIGTERM, signal.SIGINT)  # as `timeout` and job systems do
        self.assertEqual(code, 143, err)
        info("kept.hdf5")["step"]

    def test_a_figure_keeps_its_points(self):
        program = Started("bench", "two-body", "--figure", "energy-dt", "--precision", "fp64", "--integrator", "leapfrog",
                          "--dt", "1,1e-6", "--until", 9, "-o", "e.png").says("point 1 of 2")
        code, _, err = program.end(signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertIn("interrupted; the points so far are in e.csv.partial", err)
        lines = lines_of("e.csv.partial")
        self.assertEqual(len(lines), 2, "the point that was measured, and not the one under way")
        self.assertTrue(lines[1].startswith("leapfrog,1,"), lines)
        self.assertEqual([path.name for path in pathlib.Path().iterdir() if path.is_file()], ["e.csv.partial"])
        self.assertEqual(run("bench", "--figure", "energy-dt", "--from", "e.csv.partial", "-o", "e.png")[0], 0)

    @needs_hdf5
    def test_a_blow_up_names_the_body_and_keeps_the_last_good_state(self):
        # After its first kick each body flies on at 1e152 and leaves the range of numbers at about step 36,000.
        code, _, err = run("run", "two-body", "--backend", "reference", "--dt", "1e152", "--steps", 1000000, "--checkpoint", "kept.hdf5",
                           "--final", "f.csv")
        self.assertEqual(code, 5)
        self.assertIn("body 0 is not finite at step", err)
        self.assertIn("kept.hdf5", err)
        kept, found = info("kept.hdf5")["step"], int(err.partition("finite at step ")[2].split()[0].strip(":;,.").replace(",", ""))
        self.assertGreater(kept, 10000)
        self.assertLessEqual(found - kept, 1000)
        self.assertFalse(os.path.exists("f.csv"))

    @needs_hdf5
    def test_a_full_disk_takes_no_run_with_it(self):
        words, full = ("run", "plummer", "-n", 400, "--steps", 200, "--checkpoint", "kept.hdf5"), ("bash", "-c", 'ulimit -f 40; "$@"', "")
        for more, rows in ((("--csv", "e.csv", "--final", "f.csv", "--every", 50), "its rows so far are in e.csv.partial"),
                           (("--csv", "e.csv"), "its rows so far are lost")):
            code, _, err = Started(*words, *more, before=full).end()
            self.assertEqual(code, 6, err)
            self.assertIn("continue with: gravlab run kept.hdf5; " + rows, err)
            self.assertEqual(run("run", "kept.hdf5", "--steps", 1)[0], 0)
        self.assertGreaterEqual(len(lines_of("e.csv.partial")), 3)

    @needs_hdf5
    def test_saves_by_themselves_survive_kill_9_and_leave_no_torn_file(self):
        step, inode = 0, lambda: os.stat("auto.hdf5").st_ino if os.path.exists("auto.hdf5") else 0
        for number in range(8):
            begin = ("auto.hdf5",) if inode() else ("plummer", "-n", 3000)
            last, saves = inode(), 0
            program = Started("run", *begin, "--steps", 10**9, "--autosave", "0.001", "--checkpoint", "auto.hdf5")

            def saved():
                # At least two saves, the first of which may be of where it began, then at any moment of the next ones.
                nonlocal last, saves
                now = inode()
                saves, last = saves + (now != last), now
                return saves >= 2
            until(saved, "two saves")
            time.sleep(7919e-6 * number % 0.02)
            self.assertEqual(program.end(signal.SIGKILL)[0], 137)
            self.assertGreaterEqual(info("auto.hdf5")["step"], step)
            step = info("auto.hdf5")["step"]
        self.assertGreater(step, 0)
        self.assertEqual(run("run", "auto.hdf5", "--steps", 1, "--final", "f.csv")[0], 0)
        # The file, the one before it and the result: what the dead left half-written is gone.
        self.assertEqual(len([path for path in pathlib.Path().iterdir() if path.is_file()]), 3)

    def test_a_closed_pipe_is_code_6_and_no_death(self):
        program = Started("run", "plummer", "-n", 64, "--steps", 20000, "--csv", "-")
        program.process.stdout.readline()
        program.process.stdout.close()
        self.assertEqual(program.process.wait(timeout=PATIENCE), 6)


class Ranks(Scratch):
    """One run on several processes, spoken for by rank 0."""

    def setUp(self):
        if not (BINARY.parent / "libgravlab_mpi.so").exists() or not shutil.which("mpirun"):
            self.skipTest("no mpirun, or a build without MPI")
        super().setUp()

    def job(self, ranks, *words):
        # One thread per rank, any number of ranks per core, and also for root.
        return Started(*words, before=("mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks),
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def test_give_the_state_of_one_process(self):
        words = ("run", "plummer", "-n", 1501, "--kernel", "tree", "--threads", 1, "--steps", 4, "--autosave", 0, "--final", "-",
                 "--backend", "cpu")
        one = run(*words)[1]
        for ranks in (2, 4):
            code, out, err = self.job(ranks, *words).end()
            self.assertEqual((code, out), (0, one), err)
            for text in (f"gravlab: {ranks} ranks on 1 host", "1 MiB went to every rank", f"gravlab: {ranks} ranks: each force"):
                self.assertIn(text, err)
            self.assertEqual(err.count("plummer, 1,501"), 1, "rank 0 alone speaks: " + err)

    def test_end_with_the_sentence_and_code_of_rank_zero(self):
        code, _, err = self.job(2, "run", "no-such-scene").end()
        self.assertEqual((code, err.count("unknown scene")), (2, 1), err)

    @needs_hdf5
    def test_save_their_state_when_they_end_early(self):
        for killed in (False, True):
            words = ("--kernel", "simd-threads", "--backend", "cpu")
            job = self.job(3, "run", "plummer", "-n", 1000, *words, "--threads", 1, "--steps", 10**9, "--checkpoint", "kept.hdf5",
                           "--autosave", "0.01")
            until(lambda: os.path.exists("kept.hdf5") or job.process.poll() is not None, "the first state")
            if killed:
                process = job.process.pid
                ranks = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
                self.assertEqual(len(ranks), 3)
                os.kill(int(ranks[-1]), signal.SIGKILL)
            code, _, err = job.end(*(() if killed else (signal.SIGTERM,)))
            self.assertNotEqual(code, 0)
            self.assertIn("terminated; the state of step ", err)
            self.assertEqual("process rank 2" in err, killed, err)
            steps = info("kept.hdf5")["step"] + 2
            whole = run("run", "plummer", "-n", 1000, "--steps", steps, *words, "--autosave", 0, "--final", "-")
            rest = run("run", "kept.hdf5", "--steps", 2, *words, "--autosave", 0, "--final", "-")
            self.assertEqual(whole[1], rest[1], rest[2])
            os.remove("kept.hdf5")

    @unittest.skipUnless(os.environ.get("DISPLAY"), "no display")
    def test_are_behind_the_window_of_rank_zero(self):
        code, _, err = self.job(2, "view", "plummer", "-n", 2000, "--kernel", "simd-threads", "--backend", "cpu", "--frames", 3,
                                "--size", "160x120", "--screenshot", "seen.png").end()
        self.assertEqual(code, 0, err)
        self.assertIn("2 ranks on 1 host", err)
        self.assertTrue(os.path.exists("seen.png"))


class RanksWithoutMpi(Scratch):
    def test_are_refused(self):
        program = BINARY.parent / "tests/gravlab_extended"  # beside it is no library
        for size, code in (("2", 4), ("1", 0)):
            found = subprocess.run([program, "run", "two-body", "--steps", "2", "--autosave", "0"], capture_output=True, text=True,
                                   env={**os.environ, "OMPI_COMM_WORLD_SIZE": size, "OMPI_COMM_WORLD_RANK": "0"})
            self.assertEqual(found.returncode, code, found.stderr)
            if code:
                self.assertRegex(found.stderr, "one of 2 processes.*this build has no MPI")


if __name__ == "__main__":
    unittest.main()
