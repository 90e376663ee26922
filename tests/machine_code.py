#!/usr/bin/env python3
"""Unroll factors are what nvcc makes of the kernels: it writes an inverse root for each pair that is written out.

    tests/machine_code.py NVCC      ends with 77 where nvcc cannot build the kernels"""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = sys.argv.pop(1) if len(sys.argv) > 1 else "nvcc"
AUTO, FACTORS = 0, (1, 2, 3, 4, 8, 16, 32)


def inverse_roots(name):
    """Entry of a kernel -> inverse roots in nvcc's output for the file."""
    command = [NVCC, "-O3", "-std=c++20", "-ptx", "-I", ROOT, ROOT / "sim/backends/cuda/kernels" / name, "-o", "-"]
    try:
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print("SKIPPED: there is no nvcc here that can build the kernels")
        sys.exit(77)
    return {entry.split()[0]: entry.count("rsqrt") for entry in text.split(".entry ")[1:]}


class Unroll(unittest.TestCase):
    def roots_of(self, name, factor):
        return next(count for entry, count in self.roots.items() if f"{name}ILi{factor}E" in entry)

    def test_is_what_tiles_have(self):
        # All tiled rows have the loop of tiled.cuh. A factor above 1 adds one pair for the remaining sources.
        self.roots = inverse_roots("force_fused.cu")
        for factor in FACTORS:
            self.assertEqual(self.roots_of("fusedForce", factor), 1 if factor == 1 else factor + 1, factor)
        self.assertGreater(self.roots_of("fusedForce", AUTO), 1, "nvcc writes such a loop out by itself")

    def test_is_what_the_lower_rungs_have(self):
        self.roots = inverse_roots("global.cu")
        for name in ("forceAos", "forceGlobal", "forceSoa", "forceConstant"):
            self.assertEqual(self.roots_of(name, 1), 1, name)
            self.assertGreater(self.roots_of(name, AUTO), 1, name)
            for factor in FACTORS[1:]:
                self.assertGreaterEqual(self.roots_of(name, factor), factor, name)
        # One more pair, for warps that are not full.
        self.assertEqual(self.roots_of("forceShuffle", 1), 2)
        self.assertGreater(self.roots_of("forceShuffle", AUTO), 2)


if __name__ == "__main__":
    unittest.main()
