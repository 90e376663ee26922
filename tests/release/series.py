#!/usr/bin/env python3
"""A run's series of snapshots, as other programs see it: series.py PROGRAM.

With VTK's reader of XDMF or python3-paraview (Debian's VTK has no such reader), and numpy, the list is opened as ParaView
opens it, and times, places and velocities are compared with those that `gravlab convert` gives. Without them, the XML and
the files that it names are checked."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

PROGRAM = os.path.abspath(sys.argv[1])
BODIES, EVERY, SNAPSHOTS = 50, 5, 4


def gravlab(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def made(pattern, series):
    gravlab("run", "plummer", "-n", str(BODIES), "--backend", "cpu", "--dt", "0.125", "--steps", str(EVERY * (SNAPSHOTS - 1)),
            "--snapshot-every", str(EVERY), "--snapshots", pattern, "--series", series, "--autosave", "0")


def checked_as_text(path):
    """The times of the list; each data item must name a file that exists, and dimensions that fit."""
    times = []
    for grid in xml.parse(path).getroot().find("Domain/Grid").findall("Grid"):
        times.append(float(grid.find("Time").get("Value")))
        assert grid.find("Topology").get("NumberOfElements") == str(BODIES)
        items = {item.text.split(":")[1]: item for item in grid.iter("DataItem")}
        assert set(items) == {"/PartType1/" + name for name in ("Coordinates", "Velocities", "Masses", "ParticleIDs")}, items
        for item in items.values():
            assert os.path.exists(os.path.join(os.path.dirname(path), item.text.split(":")[0])), item.text
            assert item.get("Dimensions").split()[0] == str(BODIES)
    return times


def bodies_of(snapshot):
    gravlab("convert", snapshot, "bodies.csv")
    with open("bodies.csv") as file:
        rows = [line.split(",") for line in file if line[0] in "-.0123456789"]
    return [[float(cell) for cell in row[:7]] for row in rows]


def opened(path):
    """The times of the list, and a function that gives the grid at one of them: by VTK's reader, or ParaView's."""
    try:
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    except ImportError:
        from paraview import servermanager, simple

        reader = simple.XDMFReader(FileNames=[path])
        reader.UpdatePipelineInformation()

        def at(time):
            reader.UpdatePipeline(time)
            return servermanager.Fetch(reader)

        return list(reader.TimestepValues), at
    reader = vtkXdmfReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    known, key = reader.GetOutputInformation(0), reader.GetExecutive().TIME_STEPS()

    def of(time):
        reader.UpdateTimeStep(time)
        return reader.GetOutputDataObject(0)

    return [known.Get(key, k) for k in range(known.Length(key))], of


def checked_by_vtk(path, times):
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        import numpy as np

        steps, grid_at = opened(path)
    except ImportError as error:
        assert "GRAVLAB_REQUIRE_VTK" not in os.environ, error
        print(f"XML ALONE WAS CHECKED: {error}")
        return
    assert steps == times, (steps, times)
    for number, time in enumerate(times):
        grid = grid_at(time)
        while grid.IsA("vtkMultiBlockDataSet"):
            grid = grid.GetBlock(0)
        bodies = np.array(bodies_of(f"out/s_{EVERY * number:04d}.hdf5"))
        assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), bodies[:, 1:4]), f"places at {time}"
        arrays = grid.GetPointData()
        assert np.array_equal(vtk_to_numpy(arrays.GetArray("velocity")), bodies[:, 4:7]), f"velocities at {time}"
        assert np.array_equal(vtk_to_numpy(arrays.GetArray("mass")), bodies[:, 0]), f"masses at {time}"
        assert np.array_equal(vtk_to_numpy(arrays.GetArray("id")), np.arange(BODIES)), f"ids at {time}"
    print(f"VTK read {len(times)} times of {BODIES} bodies")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["XDG_STATE_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
    os.mkdir("out")
    made("out/s_%04d.hdf5", "s.xdmf")
    expected = [0.125 * EVERY * number for number in range(SNAPSHOTS)]
    times = checked_as_text("s.xdmf")
    assert times == expected, times
    checked_by_vtk(os.path.abspath("s.xdmf"), times)
    made("out/s_%04d.ply", "s.ply.series")
    with open("s.ply.series") as file:
        listed = json.load(file)["files"]
    assert [row["time"] for row in listed] == expected, listed
    for row in listed:
        with open(row["name"], "rb") as file:
            assert file.read(4) == b"ply\n"
os.chdir("/")
