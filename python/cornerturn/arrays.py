"""Arrays with names: what the description beside an .npy file says, on a NumPy array."""

import difflib
import json
import os

import numpy as np

from .failing import Error, Status

# Of each type: NumPy's, and whether a last axis of 2 has the real and the imaginary part.
TYPES = {
    "ci8": ("i1", True),
    "ci16": ("i2", True),
    "ci32": ("i4", True),
    "ci64": ("i8", True),
    "cf16": ("f2", True),
    "cf32": ("c8", False),
    "cf64": ("c16", False),
    "ci4": ("u1", False),  # both parts in one byte
    "u8": ("u1", False),
    "u16": ("u2", False),
    "u32": ("u4", False),
    "i8": ("i1", False),
    "i16": ("i2", False),
    "i32": ("i4", False),
    "f16": ("f2", False),
    "f32": ("f4", False),
    "f64": ("f8", False),
}

# Names of dimensions that descriptions may have instead of letters.
NAMES = {
    "station": "S",
    "polarization": "P",
    "pol": "P",
    "time": "T",
    "channel": "C",
    "beam": "B",
    "dm": "D",
    "tap": "K",
    "baseline": "L",
    "stokes": "Q",
    "subband": "F",
}

# Keys of a description (docs/formats.md): what an array is; what is known beyond its numbers, which a node can say as
# well; and what is written and not used.
SHAPE = ("dims", "type", "sizes")
KNOWN = ("sample_time_s", "start_s", "start_mjd", "frequency_hz", "channel_width_hz", "dm", "downsample", "subbands",
         "smear", "source_name", "telescope", "src_raj", "src_dej", "products", "feed")
WRITTEN = ("incomplete", "observation", "phase_centre_deg", "baselines")

# Values for each index: along which dimensions.
LISTS = {"frequency_hz": "FC", "dm": "D", "downsample": "D", "products": "Q", "baselines": "L"}


def dims_of(text):
    """'SPT' of "SPT" and of "station,pol,time"."""
    if not isinstance(text, str) or not text:
        raise Error(f'dims: expected a text such as "SPT", found {text!r}')
    words = list(text) if text.isalpha() and text.isupper() else [w.strip() for w in text.split(",")]
    letters = "".join(NAMES.get(w, w) for w in words)
    if len(letters) != len(words) or not (letters.isascii() and letters.isalpha() and letters.isupper()):
        raise Error(f'dims: expected capital letters such as "SPT", or names such as "station,pol,time", found "{text}"')
    if len(set(letters)) < len(letters):
        raise Error(f'dims: expected each dimension once, found "{text}"')
    return letters


def type_of(dtype, pairs):
    """The type with these numbers: "ci8" of int8 and pairs; None where there is none."""
    kind = np.dtype(dtype).newbyteorder("=")
    kind = np.dtype("u1") if kind == np.dtype(bool) else kind
    for name, (other, paired) in TYPES.items():
        if name != "ci4" and paired == pairs and np.dtype(other) == kind:
            return name
    return None


class Array(np.ndarray):
    """A NumPy array with named axes.

    dims   a letter for each axis, slowest first: "SPT". Complex integers have one axis more, of 2.
    type   of an element, in Cornerturn's words: "ci8"
    meta   what else is known, by the keys of a description (docs/formats.md)

    Names belong to this array: NumPy's own functions give arrays without (`dims` is ""). `part` and
    `order` keep them.
    """

    def __array_finalize__(self, source):
        self.dims, self.type, self.meta = "", None, {}

    @property
    def sizes(self):
        """{"S": 3, "P": 2, "T": 1001}"""
        return dict(zip(self.dims, self.shape))

    @property
    def times(self):
        """Middle of each sample, seconds after the observation's start (meta["start_mjd"]); None: unknown."""
        step = self.meta.get("sample_time_s")
        if not step or "T" not in self.dims:
            return None
        return self.meta.get("start_s", 0.5 * step) + step * np.arange(self.sizes["T"])

    @property
    def frequencies(self):
        """Centre of each channel, Hz, as [F][C] where channels are divided; None: unknown."""
        found = self._list("frequency_hz")
        both = "F" in self.dims and "C" in self.dims and found is not None
        return found.reshape(self.sizes["F"], self.sizes["C"]) if both else found

    @property
    def dms(self):
        """Dispersion measure of each trial, pc cm^-3; None: unknown."""
        return self._list("dm")

    def _list(self, key):
        return np.atleast_1d(np.array(self.meta[key], float)) if key in self.meta else None

    def _axis(self, dim):
        if len(dim) != 1 or dim not in self.dims:
            raise Error(f'expected one of the dimensions "{self.dims}", found "{dim}"')
        return self.dims.index(dim)

    def complex(self):
        """The numbers as NumPy's complex ones; a copy where they are integers."""
        dtype, pairs = TYPES.get(self.type, (None, False))
        if not pairs:
            return np.asarray(self)
        wide = np.float64 if np.dtype(dtype).itemsize > 2 else np.float32
        parts = np.ascontiguousarray(self, wide)
        return parts.view(np.complex128 if wide is np.float64 else np.complex64)[..., 0]

    def order(self, dims):
        """A view of the same numbers with its axes in another order: order("TSP")."""
        if sorted(dims) != sorted(self.dims):
            raise Error(f'expected the dimensions "{self.dims}" in another order, found "{dims}"')
        axes = [self._axis(d) for d in dims] + list(range(len(self.dims), self.ndim))
        return array(np.asarray(self).transpose(axes), dims, self.type, **self.meta)

    def part(self, **which):
        """A view of some indices, by name: part(T=slice(0, 100), S=3). A number takes the axis away."""
        cut = self
        for dim, at in which.items():
            cut = cut._part(dim, at)
        return cut

    def _part(self, dim, at):
        axis, dims, meta = self._axis(dim), self.dims, dict(self.meta)
        if isinstance(at, slice):
            at = slice(*at.indices(self.sizes[dim]))
            if at.step < 1:
                raise Error(f"{dim}: expected a step above 0, found {at.step}")
        else:
            at = range(self.sizes[dim])[at]
            dims = dims.replace(dim, "")
        _cut(meta, self.sizes, dim, at)
        named = np.asarray(np.asarray(self)[(slice(None),) * axis + (at,)]).view(Array)
        named.dims, named.type, named.meta = dims, self.type, meta
        return named


def _cut(meta, sizes, dim, index):
    """What is known of a part of an array."""
    first, step = (index.start, index.step) if isinstance(index, slice) else (index, 1)
    spacing = meta.get("sample_time_s")
    if dim == "T" and spacing:
        meta["start_s"] = meta.get("start_s", 0.5 * spacing) + first * spacing
        meta["sample_time_s"] = spacing * step
    for key, axes in LISTS.items():
        axes = [axis for axis in axes if axis in sizes]
        if dim in axes and isinstance(meta.get(key), list):
            places = np.arange(len(meta[key])).reshape([sizes[axis] for axis in axes])
            kept = places[(slice(None),) * axes.index(dim) + (index,)]
            meta[key] = [meta[key][n] for n in kept.ravel()]


def array(data, dims, type=None, **meta):
    """Names for an array, which is not copied: array(x, "SPT", sample_time_s=5.12e-6).

    `type` is needed for ci4 only; int8 with a last axis of 2 beyond `dims` is ci8, and so on. `meta` by
    the keys of a description: frequency_hz, start_mjd, dm, products.
    """
    _check_keys(meta)
    data, dims = np.asarray(data), dims_of(dims)
    pairs = data.ndim == len(dims) + 1 and data.shape[-1] == 2
    if data.ndim != len(dims) + pairs:
        raise Error(f'dims: expected a letter for each of {data.ndim} axes, found "{dims}"')
    found = type_of(data.dtype, pairs)
    if found is None:
        advice = ", a last axis of 2 for the real and the imaginary part" if pairs else ""
        raise Error(f"type: expected numbers such as int8, float32 or complex64, found {data.dtype}{advice}")
    if type is not None and TYPES.get(type) != TYPES[found]:
        raise Error(f'type: expected "{found}", which {data.dtype} is here, found "{type}"')
    named = (data.view(np.uint8) if data.dtype == bool else data).view(Array)
    named.dims, named.type = dims, type or found
    named.meta = {key: _plain(value) for key, value in meta.items()}
    for key, axes in LISTS.items():
        _check_list(named, key, [axis for axis in axes if axis in dims])
    return named


def _check_keys(meta):
    for key in meta:
        if key not in KNOWN + WRITTEN:
            near = difflib.get_close_matches(key, KNOWN + WRITTEN, 1)
            advice = f'; did you mean "{near[0]}"?' if near else ', expected "sample_time_s" and the like'
            raise Error(f'unknown key "{key}"{advice}')


def _plain(value):
    """As JSON has it: lists instead of arrays, Python's numbers instead of NumPy's."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _check_list(named, key, axes):
    values, sizes = named.meta.get(key), named.sizes
    expected = int(np.prod([sizes[axis] for axis in axes])) if axes else 1
    if isinstance(values, list) and len(values) != expected:
        raise Error(f"{key}: expected a value for each of {expected}, found {len(values)}")


def describe(file):
    """The description beside a file, and its name; {} and None where there is none."""
    for name, any in ((file + ".json", True), (os.path.splitext(file)[0] + ".json", False)):
        try:
            with open(name, encoding="utf-8") as text:
                found = json.load(text)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as why:
            raise Error(f"{name}: {why}", Status.DATA) from why
        if not isinstance(found, dict):
            raise Error(f"{name}: expected an object", Status.DATA)
        if any or _describes(found):
            return found, name
    return {}, None


def _describes(found):
    """The older name may be a pipeline's, a plan's or candidates'."""
    keys = set(SHAPE + KNOWN + WRITTEN) - {"incomplete"}
    return "cornerturn" not in found and not keys.isdisjoint(found)


def _read(file, mode):
    with open(file, "rb") as begin:
        if begin.read(6) != b"\x93NUMPY":
            raise ValueError("expected an .npy file, which begins with \\x93NUMPY")
    try:
        return np.load(file, mmap_mode=mode, allow_pickle=False)
    except ValueError:  # nothing to map in an array without elements; else it fails again
        return np.load(file, allow_pickle=False)


def load(file, dims=None, type=None, mode="r", **meta):
    """An .npy file as an Array, memory-mapped: numbers are read when they are used.

    Names come from the description beside it (`x.npy.json`, or `x.json` of older versions); what is
    given here is preferred: load("x.npy", dims="SPT", sample_time_s=1e-3). `mode` is numpy.memmap's;
    None reads the file into memory.
    """
    file = os.fspath(file)
    try:
        data = _read(file, mode)
    except (OSError, ValueError) as why:
        raise Error(f"{file}: {why}", Status.DATA) from why
    said, name = describe(file)
    said.update({key: value for key, value in dict(dims=dims, type=type, **meta).items() if value is not None})
    if "dims" not in said:
        raise Error(f'{file}: expected {file}.json beside it, or dims here, as in load("{file}", dims="SPT")',
                    Status.DATA)
    known = {key: value for key, value in said.items() if key not in SHAPE}
    try:
        return array(data, said["dims"], said.get("type"), **known)
    except Error as why:
        raise Error(f"{name or file}: {why}", Status.DATA) from why
