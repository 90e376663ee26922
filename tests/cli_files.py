#!/usr/bin/env python3
"""Files on the command line: any format by content, exact continuation, convert, info, numbered snapshots, and what is no file.

    tests/cli_files.py BINARY"""
import json
import math
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
from program import Scratch, has_hdf5, info, lines_of, needs_hdf5, run

THREE_BODIES = "m,x,y,z,vx,vy,vz\n1,1,0,0,0,0.4,0\n1,-1,0,0,0,-0.4,0\n0.5,0,2,0,0.3,0,0\n"


def put(name, text):
    pathlib.Path(name).write_bytes(text.encode())


def content(name):
    return pathlib.Path(name).read_bytes()


def numbers(line):
    return [float(cell) if cell else math.nan for cell in line.split(",")]


class CliFiles(Scratch):
    def files(self):
        return sorted(path.name for path in pathlib.Path().iterdir() if not path.name.startswith("XDG_"))

    def has(self, result, code, *texts):
        self.assertEqual(result[0], code, result[2])
        for text in texts:
            self.assertIn(text, result[2])

    @needs_hdf5
    def test_a_run_goes_on_exactly_with_its_own_settings(self):
        words = ("run", "plummer", "-n", 300, "--integrator", "yoshida4", "--dt", 0.01)
        self.has(run(*words, "--steps", 8, "--final", "whole.hdf5"), 0)
        self.has(run(*words, "--steps", 3, "--final", "part.hdf5"), 0)
        self.has(run("run", "part.hdf5", "--until", 0.08, "--final", "rest.hdf5"), 0, "continuing from step 3")
        self.assertEqual(content("whole.hdf5"), content("rest.hdf5"))
        # A shorter last step is the same after a pause, and the time step stays for a run that goes on.
        for name in ("whole.hdf5", "part.hdf5"):
            self.has(run("run", name, "--until", 0.085, "--final", "to " + name), 0)
        self.assertEqual(content("to whole.hdf5"), content("to part.hdf5"))
        self.assertIn("1 step of 0.01 to t = 0.095", run("run", "to part.hdf5", "--steps", 1)[1])
        self.assertIn("2 steps of 0.01, the last one shorter, to t = 0.1 with", run("run", "to part.hdf5", "--until", 0.1)[1])
        # Entries of a list that are of another form are left out.
        put("l.ply.series", '{"files":[{"name":"part.hdf5","time":"0"},{"name":7,"time":0},{"name":"part.hdf5","time":0}]}')
        self.has(run("run", "part.hdf5", "--steps", 1, "--snapshot-every", 4, "--snapshots", "%d.ply", "--series", "l.ply.series"), 0)
        self.assertEqual([entry["name"] for entry in json.loads(content("l.ply.series"))["files"]], ["part.hdf5", "4.ply"])
        # What options set, they set.
        other = run("run", "part.hdf5", "--steps", 1, "--integrator", "rk4", "--dt", 0.5)[1]
        self.assertIn("with rk4", other)
        self.assertIn("t = 0.53", other)

    def test_any_format_is_opened_by_its_content(self):
        put("bodies.csv", THREE_BODIES)
        for name in ("a.csv", "b.tab", "c.tipsy", "d.hdf5")[:4 if has_hdf5() else 3]:
            self.has(run("convert", "bodies.csv", name), 0)
            os.rename(name, "unnamed")
            code, out, err = run("run", "unnamed", "--backend", "reference", "--steps", 0, "--final", "-")
            self.assertEqual((code, len(out.splitlines())), (0, 4), err)
            for got, want in zip(numbers(out.splitlines()[3]), (0.5, 0, 2, 0, 0.3, 0, 0), strict=True):
                self.assertAlmostEqual(got, want, delta=1e-7, msg=name)

    def test_columns_units_and_bad_bodies(self):
        put("t.txt", "7 1 0 0 4 5 6 2\n8 -1 0 0 4 5 6 3\n9 nan 0 0 4 5 6 3\n")
        words = ("run", "t.txt", "--columns", "id,x,y,z,vx,vy,vz,m", "--steps", 0, "--backend", "reference", "--final", "-")
        self.has(run(*words), 3, "body 2", "line 3")
        code, out, err = run(*words, "--sanitize")
        self.assertEqual((code, len(out.splitlines())), (0, 3), err)
        self.assertEqual(numbers(out.splitlines()[2]), [3, -1, 0, 0, 4, 5, 6, 8], "with its id")
        lines = run(*words, "--sanitize", "--G", 0.5)[1].splitlines()
        self.assertEqual((len(lines), lines[0], numbers(lines[3])[0]), (4, "# G = 0.5", 3), "as in the file")
        self.has(run("run", "t.txt", "--units", "parsecs", "--steps", 0), 2, "galactic")

    def test_final_is_written_in_the_format_of_its_extension(self):
        for name, mark in (("f.csv", b"m,x,y,z"), ("f.ply", b"ply\n"), ("f.hdf5", b"\x89HDF\r\n"), ("f.tab", b""), ("f.tipsy", b"")):
            if name == "f.hdf5" and not has_hdf5():
                continue
            self.has(run("run", "two-body", "--steps", 1, "--final", name), 0)
            self.assertTrue(content(name).startswith(mark), name)
        self.has(run("run", "two-body", "--steps", 1, "--final", "f.docx"), 2, "f.docx", ".tipsy")

    def test_numbered_snapshots_come_at_their_steps(self):
        self.has(run("run", "two-body", "--steps", 7, "--snapshot-every", 3, "--snapshots", "s %04d.csv", "--final", "end.csv"), 0)
        self.assertEqual(self.files(), ["end.csv", "s 0000.csv", "s 0003.csv", "s 0006.csv"])
        for name in self.files():
            self.assertEqual(len(lines_of(name)), 3, name)
        self.assertNotEqual(content("s 0003.csv"), content("s 0006.csv"))
        # By time: at the nearest steps, t = 0, 0.6 and 1, whose last step is shorter; not at 0.9.
        self.has(run("run", "two-body", "--dt", 0.3, "--until", 1, "--snapshot-every", "0.5T", "--snapshots", "t%d.csv", "--final",
                     "at end.csv"), 0)
        self.assertEqual([name for name in self.files() if name.startswith("t")], ["t0.csv", "t2.csv", "t4.csv"])
        self.assertEqual(len(self.files()), 8)
        self.assertEqual(content("t4.csv"), content("at end.csv"))
        for pattern in ("s.csv", "%d%d.csv", "%s.csv", "%.3d.csv", "%n", "%99999d.csv", "%d.xyz"):
            self.has(run("run", "two-body", "--steps", 1, "--snapshot-every", 1, "--snapshots", pattern), 2)

    def test_snapshots_that_cannot_be_saved_do_not_end_the_run_but_its_code_is_6(self):
        os.mkdir("2.csv")
        self.has(run("run", "two-body", "--steps", 5, "--snapshot-every", 2, "--snapshots", "%d.csv", "--final", "end.csv"), 6, "2.csv",
                 "1 snapshots could not be saved")
        self.assertEqual(self.files(), ["0.csv", "2.csv", "4.csv", "end.csv"])

    def test_a_folder_for_snapshots_that_is_missing_is_found_before_the_work(self):
        for more in (("--snapshot-every", 500000000, "--snapshots", "gone/%d.csv"), ("--checkpoint", "gone/c.hdf5")):
            self.has(run("run", "two-body", "--steps", 10**9, *more), 6, "there is no folder")
        self.assertEqual(self.files(), [])

    def test_a_full_disk_is_code_6(self):
        self.has(run("run", "six-body", "--steps", 0, "--final", "/dev/full"), 6, "/dev/full")

    def test_bodies_that_meet_under_automatic_steps_are_no_result(self):
        put("meet.csv", "x,y,z,vx,vy,vz,m\n-0.5,0,0,0,0,0,1\n0.5,0,0,0,0,0,1\n")
        put("end.csv", "old")

        def ended(integrator, softening):
            return run("run", "meet.csv", "--softening", softening, "--integrator", integrator, "--dt", 0.01, "--steps", 300, "--final",
                       "end.csv")
        self.has(ended("radau15", 0), 7, "--softening")
        self.assertEqual(content("end.csv"), b"old")
        self.assertTrue(os.path.exists("end.csv.partial"))
        self.has(ended("radau15", 0.1), 0)
        self.has(ended("leapfrog", 0), 0, "the energy was not kept")  # steps of a fixed length were chosen

    def test_orbits_that_fixed_steps_do_not_follow_are_not_hidden(self):
        # Two suns on a wide orbit, and a planet whose orbit about one of them the other makes eccentric.
        put("triple.csv", "m,x,y,z,vx,vy,vz\n1,-3.241182749328679,-5.046302757468644,0,0.17172162047122516,-0.11043649029918869,"
            "-0.0009942085869846093\n0.001,-2.2511827493286787,-5.046302757468644,0,0.17172162047122516,0.06504461383657426,"
            "0.9942085869846092\n1,3.2434339320780077,5.051349060226113,0,-0.1718933420916964,0.11037144568535212,0\n")
        put("flyby.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-12,-10.05,0.01,0,20,0,0\n")
        put("ellipse.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-3,1.95,0,0,0,0.16,0\n")
        ended = lambda file, *more: run("run", file, "--softening", 0, *more)
        chosen = ended("triple.csv", "--steps", 3)
        self.assertIn("with radau15", chosen[1])
        self.has(chosen, 0, "body 2 goes about bodies 0 and 1")
        self.assertIn("with leapfrog", ended("triple.csv", "--steps", 3, "--integrator", "leapfrog")[1])
        kept = ended("triple.csv", "--steps", 3, "--precision", "fp32")
        self.assertIn("with leapfrog", kept[1], "radau15 cannot run in single precision")
        self.has(kept, 0, "--integrator radau15 chooses its own steps")
        # An ellipse of eccentricity 0.95 in steps that miss its pericentre: the energy returns behind it.
        missed = ended("ellipse.csv", "--dt", 0.002, "--until", 6.28, "--integrator", "leapfrog")
        self.has(missed, 0, "on the way the energy changed by")
        self.assertIn(", largest ", missed[1])
        for integrator in ("leapfrog", "radau15"):
            out = ended("flyby.csv", "--integrator", integrator, "--dt", 0.1, "--until", 1, "--csv", "-", "--every", 2)[1]
            least = min(numbers(line)[19] for line in out.splitlines() if line[0] != "s")
            self.assertAlmostEqual(least, 0.0078, delta=0.004, msg=integrator + ": the column is the least distance on the path")

    @needs_hdf5
    def test_a_run_whose_bonds_stiffen_goes_on_from_its_checkpoint(self):
        put("two.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,-0.6,0,0\n1,1,0,0,0.6,0.1,0\n")
        put("bond.csv", "i,j,length,stiffness,damping,breaking,law\n0,1,1.0,5,0,0.15,fene\n")
        self.has(run("run", "two.csv", "--bonds", "bond.csv", "--softening", 0.1, "--dt", 0.01, "--steps", 15, "--final", "k.hdf5"), 0)
        self.has(run("run", "k.hdf5", "--steps", 5), 0)
        self.has(run("run", "k.hdf5", "--steps", 5, "--dt", 0.02), 2)  # another time step is judged

    def test_numbers_of_a_table_are_finite(self):
        put("two.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
        put("bond.csv", "i,j,length,stiffness,damping,breaking,law\n0,1,1,5,0,1e-300,fene\n")
        bond = run("run", "two.csv", "--bonds", "bond.csv", "--softening", 0.1, "--dt", "1e-3", "--steps", 1, "--csv", "-")
        self.has(bond, 0)
        self.assertTrue(math.isfinite(numbers(bond[1].splitlines()[-1])[4]), bond[1])
        self.has(run("run", "two.csv", "--field", "uniform,ax=1e308", "--steps", 1, "--csv", "-"), 5, "not finite")

    def test_changes_of_an_energy_are_not_hidden_by_a_constant(self):
        put("pair.csv", "x,y,z,vx,vy,vz,m\n-0.5,0,0,0,-1,0,1\n0.5,0,0,0,1,0,1\n")

        def change(exponent):
            result = run("run", "pair.csv", "--law", "power-law", "--exponent", exponent, "--integrator", "euler", "--dt", 0.5, "--steps", 4,
                         "--csv", "-")
            self.has(result, 0)
            return numbers(result[1].splitlines()[-1])[11]
        logarithm = change(1)
        self.assertGreater(logarithm, 0.1)
        for near in (1.000001, 0.999999):
            self.assertTrue(0.25 * logarithm < change(near) < 4 * logarithm, near)

    def test_what_is_no_file_is_refused_with_a_reason(self):
        put("empty.csv", "")
        put("noise", "\x01\x02\x03\x00\x04 zzz")
        put("half.tipsy", "\x01" * 40)
        os.mkfifo("pipe")
        os.mkdir("folder.csv")
        os.symlink("loop", "loop")
        for name in ("empty.csv", "noise", "half.tipsy", "pipe", "folder.csv", "missing.csv", "loop"):
            for words in (("info", "./" + name), ("run", "./" + name, "--steps", 1)):
                result = run(*words)
                self.has(result, 3, name)
                self.assertEqual(len(result[2].splitlines()), 1, result[2])
        self.has(run("run", "plumer", "--steps", 1), 2, "did you mean 'plummer'", "file of that name")
        self.has(run("run", "empty.csv", "--steps", 1, "-n", 5), 2)

    def test_info_says_what_is_in_a_file(self):
        put("bodies.csv", THREE_BODIES)
        found = info("bodies.csv")
        self.assertEqual([found[key] for key in ("format", "bodies", "mass", "checkpoint")], ["csv", 3, 2.5, False])
        self.assertAlmostEqual(found["centre_of_mass"][1], 0.4, delta=1e-15)
        self.assertIn("bodies:           3", run("info", "bodies.csv")[1])
        if not has_hdf5():
            return
        self.has(run("run", "two-body", "--steps", 2, "--seed", 9, "--final", "r.hdf5"), 0)
        found = info("r.hdf5")
        self.assertEqual([found[key] for key in ("checkpoint", "step", "seed")], [True, 2, 9])
        self.assertIn('scene = "two-body"', found["settings"])

    def test_info_speaks_in_the_units_of_the_file(self):
        put("g.csv", "m [Msun],x [kpc],y [kpc],z [kpc],vx [km/s],vy [km/s],vz [km/s]\n5e10,0,0,0,0,0,0\n1e9,8,0,0,0,220,0\n")
        found = info("g.csv")
        self.assertEqual(found["units"], "kpc, km/s, Msun")
        self.assertAlmostEqual(found["mass"] / 5.1e10, 1, delta=1e-12)
        self.assertAlmostEqual(found["momentum"][1] / 2.2e11, 1, delta=1e-12)
        self.assertNotIn("notes", found)
        text = run("info", "g.csv")[1]
        for part in ("high:             [8.0,0.0,0.0] kpc\n", "mass:             51000000000.0", " Msun (km/s)^2\n"):
            self.assertIn(part, text)
        run("run", "g.csv", "--until", "5Myr", "--final", "g.hdf5")
        self.assertAlmostEqual(info("g.hdf5")["time"], 5, delta=1e-9)
        self.assertIn(" Myr\n", run("info", "g.hdf5")[1])
        self.assertEqual(info("g.csv", "--G", 2)["units"], "its own, where G = 2")

    def test_convert_goes_through_standard_input_and_output(self):
        put("bodies.csv", THREE_BODIES)
        with open("bodies.csv") as bodies:
            code, out, err = run("convert", "-", "-", stdin=bodies)
        self.assertEqual((code, len(out.splitlines())), (0, 4), err)
        self.assertEqual(numbers(out.splitlines()[3])[2], 2)
        for words, code in ((("-", "-"), 3), (("bodies.csv",), 2), (("bodies.csv", "x.xyz"), 2), (("bodies.csv", "/nowhere/x.csv"), 6)):
            self.has(run("convert", *words), code)

    def test_names_may_have_spaces_and_any_letters(self):
        odd = "Zählung 1 星 $(x);'\"%n"
        os.mkdir(odd)
        os.chdir(odd)
        put("in put.csv", THREE_BODIES)
        self.has(run("run", "in put.csv", "--steps", 1, "--final", os.getcwd() + "/★ out.csv"), 0)
        self.assertTrue(os.path.exists("★ out.csv"))
        self.has(run("run", "in put.csv", "--steps", 1, "--final", "x" * 5000 + ".csv"), 6)

    def test_a_decimal_comma_of_the_locale_changes_nothing(self):
        put("bodies.csv", THREE_BODIES)
        words = ("run", "bodies.csv", "--steps", 3, "--dt", 0.125, "--final", "-", "--backend", "reference")
        usual = run(*words)[1]
        self.assertEqual(len(usual.splitlines()), 4)
        for name in ("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"):
            self.assertEqual(run(*words, LC_ALL=name, LC_NUMERIC=name, LANG=name)[1], usual, name)


if __name__ == "__main__":
    unittest.main()
