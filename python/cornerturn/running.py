"""Runs of pipelines with arrays in and out."""

import contextlib
import ctypes
import json
import logging
import os
import threading
import warnings

from .arrays import KNOWN, Array, array, dims_of
from .blocks import Input, Output
from .failing import CornerturnWarning, Error, Status
from .library import FORM_JSON, ct_array, library

log = logging.getLogger("cornerturn")

MATCH_USUAL = 0  # CT_TUNE_MATCH_USUAL


class Result(dict):
    """Arrays by the names of their sinks.

    files   what the other sinks have written
    stats   how it went: seconds, blocks, missing samples (docs/json.md, "run --stats")
    trace   where the time went, step by step (docs/json.md, "run --trace")
    """

    def __init__(self):
        super().__init__()
        self.files, self.stats, self.trace = [], {}, {}


def run(pipeline, inputs=None, *, settings=None, outputs=(), device=None, plan=None, libraries=()):
    """Runs a pipeline until its sources end.

    pipeline   a file's name, a dict, or JSON text; files in the latter two are relative to the present folder
    inputs     {"node": array}, for each source.caller. What the node does not say (dims, sizes, type, times,
               frequencies) is taken from the array; other sources can be replaced by an array of the same kind
    settings   {"fir.taps": 8}, instead of what the pipeline says
    outputs    names of other sinks to be taken as arrays; their files are not written
    device     a part of its name; None: the first CPU
    plan       a plan's file, or "default"; None: the one that was tuned for such a pipeline, if there is one
    libraries  plug-ins

    Gives a Result: the array of each sink.caller by its name, with names of axes, times and frequencies, its axes
    in the layout that the pipeline pins, else in the order in which the stage before names them. Raises Error
    with the library's sentences, and KeyboardInterrupt on Ctrl-C, which stops the run; then no file is left.
    """
    job = _Job(library())
    try:
        return job.watched(lambda: job.go(_Pipeline(pipeline), dict(inputs or {}), dict(settings or {}), outputs,
                                          device, plan, libraries))
    finally:
        for sentence in job.warnings:
            warnings.warn(sentence, CornerturnWarning, stacklevel=2)


class _Pipeline:
    """A pipeline's text, and what its nodes say, as far as it is needed before the library reads it."""

    def __init__(self, pipeline):
        self.file = None
        if isinstance(pipeline, dict):
            self.text = json.dumps(pipeline, indent=1, default=lambda value: value.tolist())
        elif isinstance(pipeline, str) and pipeline.lstrip().startswith("{"):
            self.text = pipeline
        else:
            self.file = os.fspath(pipeline)
            self.text = _read(self.file)
        try:
            self._root = json.loads(self.text)
        except ValueError:  # the library says what is wrong with it
            self._root = {}

    def node(self, name, settings):
        """What a node says, with constants and settings in their places; {} where there is none."""
        nodes, constants = (_object(self._root, key) for key in ("nodes", "constants"))
        node = dict(_object(nodes, name))
        node.update({key[len(name) + 1 :]: value for key, value in settings.items() if key.startswith(name + ".")})
        return {key: constants.get(value[1:], value) if isinstance(value, str) and value.startswith("$") else value
                for key, value in node.items()}

    def layout(self, name, dims, settings):
        """The order of these dimensions that a sink pins; None: it pins none."""
        pinned = self.node(name, settings).get("layout")
        pinned = pinned.get("read") if isinstance(pinned, dict) else pinned
        with contextlib.suppress(Error):
            pinned = dims_of(pinned)
            return pinned if sorted(pinned) == sorted(dims) else None
        return None

    def graph(self, calls, context, settings):
        texts = [_setting(*each).encode() for each in settings.items()]
        texts = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
        if self.file is not None:
            return calls.make("ct_graph_load", context, os.fsencode(self.file), texts)
        return calls.make("ct_graph_parse", context, self.text.encode(), b"pipeline", texts)


def _read(file):
    try:
        with open(file, encoding="utf-8") as text:
            return text.read()
    except (OSError, ValueError):
        return ""  # the library says why


def _object(value, key):
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _setting(name, value):
    plain = value if isinstance(value, str) else json.dumps(value, default=lambda other: other.tolist())
    return f"{name}={plain}"


def _told(name, data, said):
    """Settings of a source.caller: what it does not say itself, from the array."""
    if not (isinstance(data, Array) and data.dims):
        if "dims" not in said:
            raise Error(f'{name}: expected names of the axes, "dims" in the node or cornerturn.array(x, "SPT")')
        data = array(data, said["dims"])
    sizes = data.sizes
    told = {"dims": data.dims, "type": data.type, "samples": sizes.pop("T", None), "sizes": sizes}
    told.update({key: data.meta[key] for key in KNOWN if key in data.meta})
    if data.type in ("f64", "cf64") and "type" not in said:
        single = "float32" if data.type == "f64" else "complex64"
        raise Error(f'{name}: found {data.dtype}, which no stage takes: .astype("{single}") makes it short enough')
    if _has_times(said.get("sizes"), said.get("dims", data.dims)):
        del told["samples"]
    return {f"{name}.{key}": json.dumps(value) for key, value in told.items() if key not in said}


def _has_times(sizes, dims):
    """Whether "sizes" of a node say how many samples there are."""
    if isinstance(sizes, dict):
        return sizes.get("T") is not None
    if isinstance(sizes, list):
        at = dims_of(dims).find("T")
        return at < len(sizes) and sizes[at] is not None
    return sizes is not None


class _Job:
    """One run. All calls of the library but ct_run_cancel come from a thread of its own, so that Ctrl-C,
    which Python sees between two steps of the first thread only, need not wait for the end of a block."""

    def __init__(self, calls):
        self.calls, self.warnings = calls, []
        self._lock, self._run, self._stopped = threading.Lock(), None, False

    def watched(self, work):
        done, found = threading.Event(), {}

        def body():
            try:
                found["result"] = work()
            except BaseException as why:
                found["failure"] = why
            finally:
                done.set()

        threading.Thread(target=body, name="cornerturn").start()
        stopped = None
        while True:
            try:
                while not done.wait(0.2):  # a signal may reach another thread, which does not wake this one
                    pass
                break
            except BaseException as why:  # KeyboardInterrupt, or what another handler raises
                stopped = stopped or why
                self._stop()
        if stopped or "failure" in found:
            raise stopped or found["failure"]
        return found["result"]

    def _stop(self):
        with self._lock:
            self._stopped = True
            if self._run:
                self.calls.ct_run_cancel(self._run)

    def _go_on(self):
        if self._stopped:
            raise Error("interrupted", Status.INTERRUPTED)

    def _warn(self, sentences):
        self.warnings += (sentences or b"").decode(errors="replace").splitlines()

    def go(self, pipeline, inputs, settings, outputs, device, plan, libraries):
        calls = self.calls
        for name, data in inputs.items():
            node = pipeline.node(name, settings)
            if node.get("stage") == "source.caller":
                settings.update(_told(name, data, node))
        with contextlib.ExitStack() as stack:

            def held(kind, object):
                stack.callback(getattr(calls, f"ct_{kind}_free"), object)
                return object

            context = held("context", calls.make("ct_context_open"))
            for library in libraries:
                calls.call("ct_context_add_library", context, os.fsencode(library))
            graph = held("graph", pipeline.graph(calls, context, settings))
            self._warn(calls.ct_graph_warnings(graph))
            on = held("device", calls.make("ct_device_open", None if device is None else str(device).encode()))
            calls.call("ct_device_check", on)
            how = held("plan", self._plan(graph, on, plan))
            self._go_on()
            return self._blocks(how, on, inputs, outputs, lambda *of: pipeline.layout(*of, settings))

    def _plan(self, graph, device, plan):
        """As the verb run chooses it: what is named, else what was tuned before, else the default."""
        calls, say, found = self.calls, ctypes.c_void_p(), None
        if plan is None:
            found = calls.make("ct_tune_stored_as", graph, device, MATCH_USUAL, ctypes.byref(say))
        elif plan != "default":
            found = calls.make("ct_tune_load_as", graph, device, os.fsencode(plan), MATCH_USUAL, ctypes.byref(say))
        said = calls.take(say)
        if said:
            log.info("%s", said)
        return found if found else calls.make("ct_plan_default", graph, device)

    def _blocks(self, plan, device, inputs, outputs, pinned):
        calls, result = self.calls, Result()
        run = calls.make("ct_run_new", plan, device)
        try:
            with self._lock:
                self._run = run
            steps = json.loads(calls.text("ct_explain_plan", plan, FORM_JSON))["steps"]
            steps = {step["name"]: step for step in steps}
            given = self._inputs(plan, run, steps, inputs)
            taken = self._outputs(plan, run, steps, outputs, pinned)
            self._take_all(run, [*given, *(end for end, _ in taken.values())])
            result.stats = json.loads(calls.text("ct_run_stats", run, None, FORM_JSON))
            calls.call("ct_run_finish", run)
            result.trace = json.loads(calls.text("ct_run_trace", run, FORM_JSON))
            result.files = self._files(run)
            self._warn(calls.ct_run_warnings(run))
        finally:
            with self._lock:
                self._run = None
            calls.ct_run_free(run)
        result.update((name, end.result(meta)) for name, (end, meta) in taken.items())
        return result

    def _take_all(self, run, ends):
        try:
            status = Status.OK
            while status == Status.OK:
                self._go_on()
                status = self.calls.call("ct_run_block", run, accept=(Status.OK, Status.EOF))
        except Error:
            for end in ends:
                if end.failure:
                    raise end.failure from None
            raise

    def _bind(self, run, name, end):
        self.calls.call("ct_run_bind", run, name.encode(), ctypes.byref(end.io))
        return end

    def _find(self, plan, name):
        found = ctypes.POINTER(ct_array)()
        self.calls.call("ct_plan_find", ctypes.byref(found), plan, name.encode())
        return found.contents, self.calls.ct_type_name(found.contents.type).decode()

    def _inputs(self, plan, run, steps, inputs):
        ends = []
        for name, data in inputs.items():
            block, type = self._find(plan, name)
            if name not in steps or steps[name]["ports"][0]["direction"] != "out":
                raise Error(f'inputs: expected names of sources, found "{name}"')
            ends.append(self._bind(run, name, Input(name, data, block, type)))
        for name, step in steps.items():
            if step["stage"] == "source.caller" and name not in inputs:
                raise Error(f'{name}: expected an array for this source.caller, as in run(pipeline, {{"{name}": x}})')
        return ends

    def _outputs(self, plan, run, steps, names, pinned):
        """Of each sink to be taken: what takes it, and what is known of the array."""
        own = [name for name, step in steps.items() if step["stage"] == "sink.caller"]
        taken = {}
        for name in dict.fromkeys([*own, *names]):
            block, type = self._find(plan, name)
            ports = steps[name]["ports"] if name in steps else []
            if not ports or any(port["direction"] != "in" for port in ports):
                raise Error(f'outputs: expected names of sinks, found "{name}"')
            meta = dict(ports[0]["meta"])
            total = meta.pop("total", None)
            order = pinned(name, ports[0]["dims"]) or ports[0]["dims"]
            taken[name] = self._bind(run, name, Output(block, type, order, total)), meta
        return taken

    def _files(self, run):
        files = []
        while (file := self.calls.ct_run_file(run, len(files))) is not None:
            files.append(os.fsdecode(file))
        return files
