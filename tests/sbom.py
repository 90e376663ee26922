#!/usr/bin/env python3
"""Tests the list of the program's components (gravlab.spdx.json, SPDX 2.3): it is complete and has each linked library.
Usage: tests/sbom.py BINARY [TEST...]. Needs binutils' readelf."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(sys.argv.pop(1))
BILL = json.loads((BINARY.parent / "gravlab.spdx.json").read_text(encoding="utf-8"))
NAMES = {package["name"] for package in BILL["packages"]}
# Names of libraries for the loader: the system's own, the compiler's and those of sanitizers; others, with their component.
SYSTEM = {"libc", "libm", "libgcc_s", "libpthread", "libdl", "librt", "libasan", "libubsan", "libtsan"}
LIBRARIES = {"libglfw": "glfw3", "libhwy": "hwy", "libpng": "PNG", "libhdf5": "HDF5", "libgomp": "libgomp", "libomp": "libomp",
             "libGL": "OpenGL", "libOpenGL": "OpenGL", "libEGL": "OpenGL", "libstdc++": "libstdc++", "libstb": "stb",
             "libimgui": "imgui", "libcudart": "cudart", "libz": "ZLIB"}


def needed():
    """Libraries that the program file names for the loader."""
    said = subprocess.run(["readelf", "-d", BINARY], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said)


class Sbom(unittest.TestCase):
    def test_is_a_whole_spdx_document(self):
        self.assertEqual([BILL[key] for key in ("spdxVersion", "dataLicense", "SPDXID")], ["SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"])
        self.assertTrue(BILL["documentNamespace"].startswith("https://"))
        self.assertRegex(BILL["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(BILL["creationInfo"]["creators"])
        ids = ["SPDXRef-DOCUMENT"] + [package["SPDXID"] for package in BILL["packages"]]
        self.assertEqual(len(set(ids)), len(ids), "an id is there twice")
        for package in BILL["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertRegex(package["versionInfo"], "[0-9]", package["name"])
            self.assertGreaterEqual(len(package["licenseDeclared"]), 3, package["name"])
            self.assertIn("downloadLocation", package)
        linked = {}
        for relation in BILL["relationships"]:
            self.assertIn(relation["spdxElementId"], ids)
            self.assertIn(relation["relatedSpdxElement"], ids)
            linked[relation["relatedSpdxElement"]] = relation["relationshipType"]
        self.assertEqual(len(linked) + 1, len(ids), "every package has its place")
        self.assertEqual([linked["SPDXRef-" + name] for name in ("gravlab", "glad", "glm")],
                         ["DESCRIBES", "STATIC_LINK", "DEPENDS_ON"])

    def test_names_every_library_that_the_build_asks_for(self):
        rows = (ROOT / "third_party/dependencies.cmake").read_text(encoding="utf-8")
        found = set(re.findall(r"(?:gravlab_require\(\S+|find_package\()\s*([A-Za-z0-9_]+)", rows)) - {"Threads", "PkgConfig", "CONFIG"}
        self.assertGreaterEqual(len(found), 6, "the rows were not found, so nothing was compared")
        self.assertEqual((found | {"imgui", "glad"}) - NAMES, set(), "missing in third_party/sbom.cmake")

    def test_names_every_library_that_the_program_loads(self):
        others = [name for name in needed() if name.partition(".so")[0] not in SYSTEM and not name.startswith("ld-linux")]
        self.assertGreaterEqual(len(others), 3)
        for library in others:
            component = next((LIBRARIES[known] for known in LIBRARIES if library.startswith(known)), None)
            self.assertIsNotNone(component, library + " is new: give it a row here and in third_party/sbom.cmake")
            self.assertIn(component, NAMES, library + " is loaded and not listed")

    def test_the_program_is_linked_with_nothing_of_displays_drivers_and_the_net(self):
        """A machine without them runs what needs none of them: these are opened where they are used first."""
        foreign = re.compile("lib(EGL|GL|GLX|OpenGL|X11|xcb|cuda|nvidia|nvrtc|curl|ssl|crypto|ldap|glfw)[.-]")
        self.assertEqual([library for library in needed() if foreign.match(library)], [])


if __name__ == "__main__":
    unittest.main()
