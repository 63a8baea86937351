"""Blocks of a run as NumPy arrays: filled from arrays, and put together to arrays.

Each is copied once, between the caller's array and the run's own memory, whatever the orders of axes.
"""

import ctypes

import numpy as np

from .arrays import TYPES, Array, array, type_of
from .failing import Error, Status
from .library import READ, WRITE, ct_io

# Complex integers are moved as one number of both parts.
_WHOLE = {2: "u2", 4: "u4", 8: "u8", 16: "c16"}


def _element(type):
    dtype, pairs = TYPES[type]
    return np.dtype(_WHOLE[2 * np.dtype(dtype).itemsize] if pairs else dtype)


def _view(block, type):
    """The library's array, its axes in the order of block.dim."""
    element, rank = _element(type), block.rank
    shape, strides = block.extent[:rank], block.stride[:rank]
    last = block.offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    memory = (ctypes.c_char * ((last + 1) * element.itemsize)).from_address(block.data)
    return np.ndarray(shape, element, memory, block.offset * element.itemsize,
                      [stride * element.itemsize for stride in strides])


class _End:
    """What a source or a sink of the run is bound to. `failure`: what happened in it."""

    def __init__(self):
        self.failure = None

    def _guarded(self, work):
        def call(*arguments):
            try:
                work(*arguments)
                return Status.OK
            except BaseException as why:  # nothing may leave through the library
                self.failure = why
                return Status.FAILED

        return call


class Input(_End):
    """An array that a source gives block by block."""

    def __init__(self, node, data, block, type):
        """`block`: what the run wants, in its order and of this type."""
        super().__init__()
        self._type, self._at = type, 0
        dims = block.dim.decode()
        own = data.dims if isinstance(data, Array) and data.dims else dims
        data = _numbers(node, np.asarray(data), own, type)
        if sorted(own) != sorted(dims):
            raise Error(f'{node}: expected the dimensions "{dims}" in any order, found "{own}"')
        data = data.transpose([own.index(dim) for dim in dims])
        for dim, expected, found in zip(dims, block.extent, data.shape):
            if dim != "T" and found != expected:
                raise Error(f"{node}: expected {dim}={expected}, as the pipeline says, found {found}")
        self._axis = dims.index("T")
        self._data = np.moveaxis(data, self._axis, 0)
        self.io = ct_io(size=ctypes.sizeof(ct_io), read=READ(self._guarded(self._read)))

    def _read(self, _, block, flags, got, error):
        to = np.moveaxis(_view(block.contents, self._type), self._axis, 0)
        part = self._data[self._at : self._at + len(to)]
        to[: len(part)] = part
        self._at += len(part)
        got[0] = len(part)


def _numbers(node, data, dims, type):
    """An element for each number: complex integers as one, if they lie together."""
    dtype, pairs = TYPES[type]
    found = type_of(data.dtype, data.ndim == len(dims) + 1)
    if data.ndim != len(dims) + pairs or (pairs and data.shape[-1] != 2):
        extra = " and one of 2" if pairs else ""
        raise Error(f'{node}: expected {type} with axes "{dims}"{extra}, found {data.dtype} with {data.ndim} axes')
    if found is None or TYPES[found] != TYPES[type]:
        raise Error(f"{node}: expected {type}, as the pipeline says, found {data.dtype}: "
                    f'.astype("{np.dtype(dtype).name}") makes it so')
    if data.dtype == bool:
        return data.view(np.uint8)
    if not pairs:
        return data
    if not data.dtype.isnative or data.strides[-1] != data.itemsize:
        data = np.ascontiguousarray(data, dtype)
    return data.view(_element(type))[..., 0]


class Output(_End):
    """An array that a sink takes block by block, its axes in this order."""

    def __init__(self, block, type, order, total):
        """`total`: samples along T in all; None: unknown."""
        super().__init__()
        dims = block.dim.decode()
        self._order, self._type, self._at = order, type, 0
        self._axes = [dims.index(dim) for dim in order]
        self._axis = order.index("T")
        self._shape = [block.extent[axis] for axis in self._axes]
        self._data = self._empty(total or 0)
        self.io = ct_io(size=ctypes.sizeof(ct_io), write=WRITE(self._guarded(self._write)))

    def _empty(self, samples):
        shape = list(self._shape)
        shape[self._axis] = samples
        return np.empty(shape, _element(self._type))

    def _part(self, data, first, count):
        return data[(slice(None),) * self._axis + (slice(first, first + count),)]

    def _write(self, _, block, first, count, error):
        there = self._data.shape[self._axis]
        if self._at + count > there:
            grown = self._empty(max(self._at + count, 2 * there))
            self._part(grown, 0, self._at)[...] = self._part(self._data, 0, self._at)
            self._data = grown
        found = _view(block.contents, self._type).transpose(self._axes)
        self._part(self._data, self._at, count)[...] = self._part(found, first, count)
        self._at += count

    def result(self, meta):
        data = np.ascontiguousarray(self._part(self._data, 0, self._at))
        dtype, pairs = TYPES[self._type]
        if pairs:
            data = data[..., np.newaxis].view(dtype)
        return array(data, self._order, self._type, **meta)
