"""Cornerturn: radio-astronomy pipelines on OpenCL, with NumPy arrays in and out.

    beams = cornerturn.load("beams.npy")
    result = cornerturn.run("pipeline.json", {"in": voltages})

load     an .npy file, memory-mapped, with named axes, times and frequencies
array    names for an array of your own
run      a pipeline, with arrays in and out
Error    what the library says when it fails

docs/python.md explains them. CORNERTURN_LIBRARY names the library if the system does not find it.
"""

__version__ = "0.1.0"  # of the library that it is for

from .arrays import Array, array, load
from .failing import CornerturnWarning, Error, Status
from .running import Result, run

__all__ = ["Array", "CornerturnWarning", "Error", "Result", "Status", "array", "load", "run"]
