#!/usr/bin/env python3
"""The command groups: what it writes, what it prints, what it refuses.

    tests/cli_groups.py BINARY"""
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
from program import Scratch, run

# Two groups of three and one body alone, in an order in which they alternate; ids are not indices.
SEVEN = ("id,m,x,y,z,vx,vy,vz\n70,1,0,0,0,1,0,0\n71,2,10,0,0,0,3,0\n72,1,0.9,0,0,1,0,0\n73,2,10,0.9,0,0,3,0\n74,1,1.8,0,0,1,0,0\n"
         "75,2,10,1.8,0,0,3,0\n76,5,-50,0,0,0,0,0\n")


class GroupsCommand(Scratch):
    def setUp(self):
        super().setUp()
        pathlib.Path("seven.csv").write_text(SEVEN)

    def groups(self, *more, code=0):
        """Output, and messages."""
        ended, out, err = run("groups", "seven.csv", "--backend", "cpu", *more)
        self.assertEqual(ended, code, (more, err))
        return out, err

    def test_writes_a_row_a_body_and_prints_the_largest(self):
        out, _ = self.groups("--linking-length", 1, "--least", 2, "-o", "groups.csv")
        self.assertEqual(pathlib.Path("groups.csv").read_text(), "id,group\n70,70\n71,71\n72,70\n73,71\n74,70\n75,71\n76,-1\n")
        self.assertIn("2 groups of at least 2 bodies, with 6 of all; 3 of any size", out)
        self.assertIn("checked against every pair", out)
        self.assertRegex(out, "\n +70 +3 +3 ")
        self.assertRegex(out, "\n +71 +3 +6 ")

    def test_has_the_same_labels_by_every_rung_of_the_host_and_on_standard_output(self):
        def by(backend, rung):
            return run("groups", "plummer", "-n", 3000, "--backend", backend, "--kernel", rung, "--least", 1, "-o", "-")
        code, out, err = by("reference", "pairs")
        self.assertEqual((code, len(out.splitlines())), (0, 3001), err)
        self.assertIn("pairs on reference: checked against", err, "the table goes beside the rows")
        for rung in ("union-grid", "union-tree"):
            self.assertEqual(by("cpu", rung)[1], out, rung)

    def test_json_has_all_groups_in_the_units_of_the_file(self):
        found = json.loads(self.groups("--units", "cluster", "--linking-length", 1, "--least", 1, "--json")[0])
        self.assertEqual(found["units"]["length"], "pc")
        self.assertAlmostEqual(found["linking_length"], 1, delta=1e-12)
        self.assertEqual(len(found["groups"]), 3)
        second = found["groups"][1]
        self.assertEqual(second["group"], 71)
        for got, want in ((second["mass"], 6), (second["centre"][1], 0.9), (second["velocity"][1], 3)):
            self.assertAlmostEqual(got, want, delta=1e-9)

    def test_takes_a_length_with_its_unit(self):
        for length, want in (("1pc", 1), ("0.002kpc", 2)):
            found = json.loads(self.groups("--units", "cluster", "--linking-length", length, "--least", 1, "--json")[0])
            self.assertAlmostEqual(found["linking_length"], want, delta=1e-9)
        self.assertIn("has no units", self.groups("--linking-length", "1pc", code=2)[1])

    def test_refuses_what_cannot_be(self):
        for more, why in ((("--linking", 0.2, "--linking-length", 1), "exclude each other"), (("--linking", 0), "above 0"),
                          (("--linking-length", "1Myr"), "not the unit of a length"), (("--linking-length", "1e200"), "1e-150 to 1e150"),
                          (("--least", 0), "at least 1"), (("--kernel", "bfs"), "valid: pairs, union-grid, union-tree, bfs-host"),
                          (("--kernel", "bfs-host"), "valid: union-grid, union-tree"), (("-o", "seven.csv"), "would replace"),
                          (("-n", 3), "leave out -n")):
            self.assertIn(why, self.groups(*more, code=2)[1])
        self.groups("-o", "nowhere/groups.csv", code=6)
        self.assertEqual(pathlib.Path("seven.csv").read_text(), SEVEN)


if __name__ == "__main__":
    unittest.main()
