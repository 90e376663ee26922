"""The package against the real program, which the environment variable GRAVLAB names."""

import os
import signal
import unittest

import numpy as np

import gravlab


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
                            lambda: run.do("get run.step\nget run.time"),
                            lambda: run.step(0)):
                with self.assertRaises(gravlab.Refused) as caught:
                    attempt()
                self.assertGreater(len(str(caught.exception)), 10)
            self.assertEqual(run["bodies"], 2)
            run.step()

    def test_a_dead_program_is_an_exception_with_its_words(self):
        run = gravlab.open("two-body", backend="cpu")
        os.kill(run._process.pid, signal.SIGKILL)
        with self.assertRaisesRegex(gravlab.Ended, "signal 9"):
            for _ in range(2):
                run.positions
        run.close()
        run.close()
        with self.assertRaises(gravlab.Ended):
            run.step()
        self.assertRaises(gravlab.Ended, gravlab.open, "no-such-scene")

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

    def test_parameters_are_listed(self):
        paths = [row["path"] for row in gravlab.parameters()]
        self.assertIn("run.softening", paths)


if __name__ == "__main__":
    unittest.main()
