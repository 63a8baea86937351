"""libcornerturn by ctypes: the few calls and structs that a run needs.

Structs are as in include/cornerturn.h and cornerturn_stage.h, as far as they are used; tests/python
compares them with what the C compiler makes of these headers.
"""

import ctypes
import functools
import os
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint8, c_void_p

from . import __version__
from .failing import Error, Status

NAME = "libcornerturn.so.0"
VARIABLE = "CORNERTURN_LIBRARY"
DIMS = 8  # CT_DIMS
FORM_JSON = 1  # CT_FORM_JSON


class ct_error(ctypes.Structure):
    _fields_ = [("status", c_int), ("count", c_uint), ("text", c_char * 8192)]


class ct_layout(ctypes.Structure):
    _fields_ = [("rank", c_int), ("dim", c_char * (DIMS + 1)), ("split", c_uint8)]


class ct_array(ctypes.Structure):
    """Its beginning: arrays are only looked at, where the library has them."""

    _fields_ = [
        ("type", c_int),
        ("rank", c_int),
        ("dim", c_char * (DIMS + 1)),
        ("extent", c_int64 * DIMS),
        ("stride", c_int64 * DIMS),
        ("offset", c_int64),
        ("layout", ct_layout),
        ("data", c_void_p),
    ]


READ = CFUNCTYPE(c_int, c_void_p, POINTER(ct_array), POINTER(c_uint8), POINTER(c_int64), POINTER(ct_error))
WRITE = CFUNCTYPE(c_int, c_void_p, POINTER(ct_array), c_int64, c_int64, POINTER(ct_error))


class ct_io(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("state", c_void_p), ("read", READ), ("write", WRITE), ("count", c_void_p)]


_OBJECT, _OUT, _ERROR = c_void_p, POINTER(c_void_p), POINTER(ct_error)

# Calls that return a ct_status, and what they take before the ct_error.
CALLS = {
    "ct_context_open": [_OUT],
    "ct_context_add_library": [_OBJECT, c_char_p],
    "ct_device_open": [_OUT, c_char_p],
    "ct_device_check": [_OBJECT],
    "ct_graph_load": [_OUT, _OBJECT, c_char_p, POINTER(c_char_p)],
    "ct_graph_parse": [_OUT, _OBJECT, c_char_p, c_char_p, POINTER(c_char_p)],
    "ct_plan_default": [_OUT, _OBJECT, _OBJECT],
    "ct_plan_find": [POINTER(POINTER(ct_array)), _OBJECT, c_char_p],
    "ct_explain_plan": [_OUT, _OBJECT, c_int],
    "ct_tune_stored_as": [_OUT, _OBJECT, _OBJECT, c_int, _OUT],
    "ct_tune_load_as": [_OUT, _OBJECT, _OBJECT, c_char_p, c_int, _OUT],
    "ct_run_new": [_OUT, _OBJECT, _OBJECT],
    "ct_run_bind": [_OBJECT, c_char_p, POINTER(ct_io)],
    "ct_run_block": [_OBJECT],
    "ct_run_finish": [_OBJECT],
    "ct_run_stats": [_OUT, _OBJECT, c_void_p, c_int],
    "ct_run_trace": [_OUT, _OBJECT, c_int],
}

# Other calls: what they return and take.
OTHERS = {
    "ct_version": (c_char_p, []),
    "ct_type_name": (c_char_p, [c_int]),
    "ct_graph_warnings": (c_char_p, [_OBJECT]),
    "ct_run_warnings": (c_char_p, [_OBJECT]),
    "ct_run_file": (c_char_p, [_OBJECT, c_size_t]),
    "ct_run_cancel": (None, [_OBJECT]),
    "ct_run_free": (None, [_OBJECT]),
    "ct_plan_free": (None, [_OBJECT]),
    "ct_graph_free": (None, [_OBJECT]),
    "ct_device_free": (None, [_OBJECT]),
    "ct_context_free": (None, [_OBJECT]),
}


class Library:
    """The calls of one shared library. `call` raises what it says as an Error."""

    def __init__(self, name):
        try:
            self._library = ctypes.CDLL(name)
            self.ct_version = self._plain("ct_version", *OTHERS["ct_version"])
            self._check_version(name)
            for call, (result, arguments) in OTHERS.items():
                setattr(self, call, self._plain(call, result, arguments))
            self._calls = {call: self._plain(call, c_int, [*arguments, _ERROR]) for call, arguments in CALLS.items()}
        except (OSError, AttributeError) as why:
            raise Error(f"{name} cannot be used ({why}): expected Cornerturn's library, "
                        f"installed or named by {VARIABLE}") from why
        self._free = ctypes.CDLL(None).free
        self._free.argtypes, self._free.restype = [c_void_p], None

    def _plain(self, name, result, arguments):
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, arguments
        return function

    def _check_version(self, name):
        """Stable within a MAJOR, while that is 0 within a MINOR: include/cornerturn.h."""
        found = self.ct_version().decode()
        ours, theirs = (text.split(".")[: 2 if __version__.startswith("0.") else 1] for text in (__version__, found))
        if ours != theirs:
            raise Error(f"{name} is version {found}, and this Python package is for {'.'.join(ours)}: install the "
                        f"package that came with the library, or name another library in {VARIABLE}")

    def call(self, name, *arguments, accept=(Status.OK,)):
        """The status, if it is one of these."""
        error = ct_error()
        status = self._calls[name](*arguments, ctypes.byref(error))
        if status not in accept:
            raise Error(error.text.decode(errors="replace") or f"{name} failed", status)
        return status

    def make(self, name, *arguments):
        """What the call puts into its first argument."""
        out = c_void_p()
        self.call(name, ctypes.byref(out), *arguments)
        return out

    def text(self, name, *arguments):
        return self.take(self.make(name, *arguments))

    def take(self, text):
        """A text that the library has made; "" for none."""
        if not text:
            return ""
        found = ctypes.string_at(text).decode(errors="replace")
        self._free(text)
        return found


@functools.lru_cache(maxsize=None)
def _opened(name):
    return Library(name)


def library():
    """The one that CORNERTURN_LIBRARY names, else the system's. It is loaded once."""
    return _opened(os.environ.get(VARIABLE) or NAME)
