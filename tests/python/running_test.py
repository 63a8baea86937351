"""Runs with arrays in and out: what comes out is what NumPy computes, whatever the types, orders and sizes."""

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

import numpy as np

import cornerturn
from cornerturn import arrays, blocks

S, P, T = 3, 2, 1009


def pipeline(block=128, **nodes):
    return {"cornerturn": 1, "nodes": nodes, "block": {"T": block}}


def through(block=128, source=None, sink=None):
    """From "in" to "out", and nothing between."""
    return pipeline(block, **{"in": {"stage": "source.caller", **(source or {})},
                              "out": {"stage": "sink.caller", "input": "in", **(sink or {})}})


def voltages(seed=5, shape=(S, P, T)):
    return np.random.default_rng(seed).integers(-100, 100, (*shape, 2)).astype(np.int8)


class Copies(unittest.TestCase):
    """What nothing computes comes out as it went in."""

    def numbers(self, type, shape):
        dtype, pairs = arrays.TYPES[type]
        shape = (*shape, 2) if pairs else shape
        raw = np.random.default_rng(7).integers(0, 255, (*shape, np.dtype(dtype).itemsize), dtype=np.uint8)
        return raw.view(dtype)[..., 0]

    def test_all_types(self):
        for type in arrays.TYPES:
            with self.subTest(type):
                data = cornerturn.array(self.numbers(type, (S, 5, T)), "SCT", type if type == "ci4" else None)
                if type in ("f64", "cf64"):  # of references only
                    with self.assertRaisesRegex(cornerturn.Error, r'in: found .*\.astype\("(float32|complex64)"\)'):
                        cornerturn.run(through(), {"in": data})
                    continue
                out = cornerturn.run(through(), {"in": data})["out"]
                self.assertEqual((out.dims, out.type, out.dtype), ("SCT", type, data.dtype))
                self.assertEqual(out.tobytes(), data.tobytes())

    def test_all_orders_of_arrays_nodes_and_sinks(self):
        data = voltages()
        orders = ["".join(order) for order in itertools.permutations("SPT")]
        for n, (given, node, pinned) in enumerate(itertools.product(orders, repeat=3)):
            if n % 5:  # 44 of 216
                continue
            with self.subTest(given=given, node=node, pinned=pinned):
                named = cornerturn.array(data, "SPT").order(given)
                out = cornerturn.run(through(100 + n, {"dims": node}, {"layout": pinned}), {"in": named}, plan="default")["out"]
                self.assertEqual(out.dims, pinned)
                np.testing.assert_array_equal(out.order("SPT"), data)

    def test_an_order_that_is_not_pinned_is_the_nodes(self):
        data = cornerturn.array(voltages(), "SPT").order("TSP")
        self.assertEqual(cornerturn.run(through(), {"in": data})["out"].dims, "TSP")
        self.assertEqual(cornerturn.run(through(64, {"dims": "PTS"}), {"in": data})["out"].dims, "PTS")
        written = json.loads(json.dumps(through(64, {"dims": "$order"}, {"layout": "$order"})))
        written["constants"] = {"order": "PTS"}
        self.assertEqual(cornerturn.run(written, {"in": data})["out"].dims, "PTS")

    def test_arrays_of_all_kinds_of_memory(self):
        data = voltages(shape=(2 * S, P, T))
        for view in (data[::-2], data[::2, ::-1], data[:, :, ::3], np.asfortranarray(data), data.astype(">i2"),
                     np.ascontiguousarray(data[..., ::-1])[..., ::-1], np.broadcast_to(data[:1, :, :1], data.shape)):
            out = cornerturn.run(through(source={"dims": "SPT"}), {"in": view})["out"]
            np.testing.assert_array_equal(out, view)

    def test_streams_whose_length_nobody_says(self):
        for pinned in ("SPT", "TSP"):
            graph = through(100, {"dims": "SPT"}, {"layout": pinned})
            out = cornerturn.run(graph, {"in": voltages()}, settings={"in.sizes": json.dumps({"S": S, "P": P})})["out"]
            np.testing.assert_array_equal(out.order("SPT"), voltages())

    def test_a_file_is_read_block_by_block(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "x.npy")
            np.save(file, voltages())
            data = cornerturn.load(file, "SPT", sample_time_s=1e-3, start_mjd=60123.5, source_name="α \"β\"")
            out = cornerturn.run(through(), {"in": data})["out"]
        np.testing.assert_array_equal(out, voltages())
        self.assertEqual(out.meta, {"sample_time_s": 1e-3, "start_s": 5e-4, "start_mjd": 60123.5, "source_name": "α \"β\""})
        np.testing.assert_array_equal(out.times, data.times)

    def test_what_is_known_goes_through(self):
        count = 3000
        known = dict(frequency_hz=list(150e6 + 1e3 / 3 * np.arange(count)), channel_width_hz=1e3 / 3, start_s=-2.0,
                     sample_time_s=1e-3 / 3, products=["XX", "XY", "YX", "YY"], telescope="12", src_raj=123456.7, feed="linear")
        data = cornerturn.array(np.zeros((9, 4, count), np.float32), "TQC", **known)
        out = cornerturn.run(through(4), {"in": data})["out"]
        self.assertEqual({key: out.meta[key] for key in known}, known)

    def test_what_the_node_says_is_preferred(self):
        data = cornerturn.array(voltages(), "SPT", sample_time_s=1e-3, telescope="LOFAR")
        out = cornerturn.run(through(source={"sample_time_s": 2e-3, "samples": 501}), {"in": data})["out"]
        np.testing.assert_array_equal(out, voltages()[:, :, :501])
        self.assertEqual((out.meta["sample_time_s"], out.meta["telescope"]), (2e-3, "LOFAR"))


class Oracles(unittest.TestCase):
    def test_filter_bank(self):
        channels, taps = 15, 5
        shape = np.random.default_rng(1).normal(size=channels * taps)
        for type, data in (("ci8", voltages()), ("cf32", (voltages() @ [1, 1j]).astype(np.complex64))):
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True):
                np.save(os.path.join(folder, "h.npy"), shape.astype(np.float32))
                graph = pipeline(channels * 9, **{
                    "in": {"stage": "source.caller", "sample_time_s": 1e-3, "frequency_hz": 150e6},
                    "fir": {"stage": "fir", "input": "in", "channels": channels, "taps": taps, "window": "file",
                            "file": os.path.join(folder, "h.npy"), "center_dc": False},
                    "fft": {"stage": "fft", "input": "fir"},
                    "out": {"stage": "sink.caller", "input": "fft"}})
                out = cornerturn.run(graph, {"in": cornerturn.array(data, "SPT")})["out"]
            rows = (voltages() @ [1, 1j])[:, :, : T // channels * channels].reshape(S, P, -1, channels)
            rows = np.pad(rows, ((0, 0), (0, 0), (taps - 1, 0), (0, 0)))
            windows = np.lib.stride_tricks.sliding_window_view(rows, taps, axis=2)
            expected = np.fft.fft(np.einsum("sptck,kc->sptc", windows, shape.reshape(taps, channels)), axis=3)
            self.assertEqual((out.dims, out.shape), ("SPTC", expected.shape))
            np.testing.assert_allclose(out, expected, atol=2e-6 * np.abs(expected).max())
            self.assertEqual(len(out.frequencies), channels)
            np.testing.assert_allclose(np.diff(out.times), 1e-3 * channels)

    def test_beams(self):
        channels, beams = 7, 4
        rng = np.random.default_rng(2)
        weights = (rng.normal(size=(beams, S, channels)) + 1j * rng.normal(size=(beams, S, channels))).astype(np.complex64)
        for dtype in ("i1", "i2"):
            data = (rng.integers(-100, 100, (T, P, channels, S, 2)) * (1 if dtype == "i1" else 300)).astype(dtype)
            with tempfile.TemporaryDirectory() as folder:
                np.save(os.path.join(folder, "w.npy"), weights)
                graph = pipeline(96, **{
                    "in": {"stage": "source.caller"},
                    "beams": {"stage": "beamformer", "input": "in", "weights": os.path.join(folder, "w.npy")},
                    "out": {"stage": "sink.caller", "input": "beams", "layout": "CBTP"}})
                out = cornerturn.run(graph, {"in": cornerturn.array(data, "TPCS")})["out"]
            expected = np.einsum("bsc,tpcs->cbtp", weights, data @ [1, 1j])
            self.assertEqual(out.dims, "CBTP")
            np.testing.assert_allclose(out, expected, atol=1e-6 * np.abs(expected).max())

    def test_two_sources_two_sinks_and_a_setting(self):
        graph = pipeline(**{
            "a": {"stage": "source.caller"}, "b": {"stage": "source.caller", "dims": "PTS"},
            "power": {"stage": "detect", "input": "a", "integrate": 3},
            "out a": {"stage": "sink.caller", "input": "power"}, "out b": {"stage": "sink.caller", "input": "b"}})
        # detect takes channels: one
        a = (np.random.default_rng(3).normal(size=(S, P, T, 1)) + 2j).astype(np.complex64)
        b = np.random.default_rng(4).normal(size=(P, T, 5)).astype(np.float16)
        with self.assertWarnsRegex(cornerturn.CornerturnWarning, "left out"):
            result = cornerturn.run(graph, {"a": cornerturn.array(a, "SPTC"), "b": b}, settings={"power.integrate": 97})
        power = (np.abs(a) ** 2).sum(axis=1)[:, : T // 97 * 97].reshape(S, -1, 97).sum(axis=2)
        np.testing.assert_allclose(result["out a"][..., 0], power, rtol=1e-5)
        np.testing.assert_array_equal(result["out b"], b)
        self.assertEqual(result["out a"].meta["products"], ["I"])


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class Files(Folder):
    def setUp(self):
        super().setUp()
        nodes = {"in": {"stage": "source.npy", "file": "in.npy", "dims": "SPT"},
                 "copy": {"stage": "sink.npy", "input": "in", "file": "copy.npy", "layout": "TPS"},
                 "out": {"stage": "sink.caller", "input": "in"}}
        with open(self.path("p.json"), "w") as file:
            json.dump(pipeline(**nodes), file)
        np.save(self.path("in.npy"), voltages())

    def test_files_are_read_and_written_as_ever(self):
        result = cornerturn.run(self.path("p.json"))
        self.assertEqual(list(result), ["out"])
        np.testing.assert_array_equal(result["out"], voltages())
        self.assertIn(self.path("copy.npy"), result.files)
        np.testing.assert_array_equal(cornerturn.load(self.path("copy.npy")).order("SPT"), voltages())
        self.assertEqual((result.stats["samples"], result.stats["blocks"]), (S * T, -(-T // 128)))
        self.assertEqual([step["name"] for step in result.trace["steps"]][0], "in")

    def test_arrays_instead_of_files(self):
        other = voltages(seed=6)[:, :, :777]  # shorter than the file
        result = cornerturn.run(self.path("p.json"), {"in": other}, outputs=["copy"])
        np.testing.assert_array_equal(result["out"], other)
        np.testing.assert_array_equal(result["copy"].order("SPT"), other)
        self.assertEqual((result["copy"].dims, result.files), ("TPS", []))
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "p.json"])

    def test_texts_find_files_in_the_present_folder(self):
        with open(self.path("p.json")) as file:
            text = file.read()
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        for same in (text, json.loads(text), "p.json"):
            np.testing.assert_array_equal(cornerturn.run(same)["out"], voltages())

    def test_a_plans_file(self):
        plan = self.path("plan.json")
        command = [os.environ["CORNERTURN"], "explain", self.path("p.json"), "--save", plan]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for of in (plan, "default"):
            np.testing.assert_array_equal(cornerturn.run(self.path("p.json"), plan=of)["out"], voltages())
        with self.assertRaisesRegex(cornerturn.Error, r"none\.json") as caught:
            cornerturn.run(self.path("p.json"), plan=self.path("none.json"))
        self.assertEqual(caught.exception.status, cornerturn.Status.DATA)


class Mistakes(Folder):
    def refuse(self, sentence, status, *arguments, **more):
        with self.assertRaisesRegex(cornerturn.Error, sentence) as caught:
            cornerturn.run(*arguments, **more)
        self.assertEqual(caught.exception.status, status)

    def test_the_librarys_sentences(self):
        status = cornerturn.Status
        with open(self.path("p.json"), "w") as file:
            file.write('{"cornerturn": 1,\n "nodes": {"a": {"stage": "source.callr"},\n "b": {"stage": "sink.callr"}}}')
        with self.assertRaises(cornerturn.Error) as caught:
            cornerturn.run(self.path("p.json"))
        self.assertRegex(caught.exception.sentences[0], r'p\.json:2:.*/nodes/a/stage: .*did you mean "source\.caller"')
        self.assertEqual((caught.exception.status, len(caught.exception.sentences)), (status.INVALID, 2))
        self.refuse(r"none\.json", status.DATA, self.path("none.json"))
        self.refuse("pipeline:1:", status.INVALID, "{")
        self.refuse('no node "inn".*did you mean "in"', status.USAGE, through(), {"in": cornerturn.array(voltages(), "SPT")}, settings={"inn.taps": 3})
        self.refuse('no device.*"?nothing like it', status.NO_DEVICE, through(), {"in": cornerturn.array(voltages(), "SPT")},
                    device="nothing like it")
        self.refuse('no node "inn"; did you mean "in"', status.USAGE, through(), {"in": cornerturn.array(voltages(), "SPT"), "inn": 1})
        self.refuse("plug", status.DATA, through(), libraries=[self.path("plug.so")])

    def test_arrays_that_do_not_fit(self):
        data, status = cornerturn.array(voltages(), "SPT"), cornerturn.Status.USAGE
        self.refuse(r'in: expected names of the axes, "dims" in the node or', status, through(), {"in": voltages()})
        self.refuse("dims: expected a letter for each of 4 axes", status, through(source={"dims": "SP"}), {"in": voltages()})
        self.refuse('in: expected the dimensions "SBT" in any order, found "SPT"', status,
                    through(source={"dims": "SBT", "sizes": {"S": S, "B": P}}), {"in": data})
        self.refuse("in: expected S=4, as the pipeline says, found 3", status,
                    through(source={"sizes": {"S": 4, "P": 2}}), {"in": data})
        self.refuse(r'in: expected cf32, as the pipeline says, found int8', status,
                    through(source={"type": "cf32"}), {"in": cornerturn.array(voltages()[..., 0], "SPT")})
        self.refuse(r'in: expected f32, .*found float64: \.astype\("float32"\) makes it so', status,
                    through(source={"type": "f32"}), {"in": cornerturn.array(np.zeros((S, T)), "ST")})
        self.refuse("in: expected an array for this source.caller, as in run", status,
                    through(source={"dims": "SPT", "sizes": {"S": S, "P": P}, "type": "ci8"}))
        self.refuse('inputs: expected names of sources, found "out"', status, through(), {"in": data, "out": data})
        self.refuse('outputs: expected names of sinks, found "in"', status, through(), {"in": data}, outputs=["in"])
        self.refuse('no node "outt"; did you mean "out"', status, through(), {"in": data}, outputs=["outt"])

    def test_what_fails_in_a_copy_is_raised(self):
        failure = RuntimeError("no room")
        for method in ("_read", "_write"):
            kind = blocks.Input if method == "_read" else blocks.Output
            with mock.patch.object(kind, method, side_effect=failure), self.assertRaises(RuntimeError) as caught:
                cornerturn.run(through(), {"in": cornerturn.array(voltages(), "SPT")})
            self.assertIs(caught.exception, failure)


class Stopping(Folder):
    def endless(self):
        """More samples than any test waits for, in two bytes."""
        data = cornerturn.array(np.broadcast_to(np.zeros(2, np.int8), (S, P, 10**12, 2)), "SPT", sample_time_s=1e-3)
        graph = pipeline(4096, **{"in": {"stage": "source.caller"},
                                  "fir": {"stage": "fir", "input": "in", "channels": 64, "taps": 4},
                                  "power": {"stage": "detect", "input": "fir", "integrate": 10000},
                                  "file": {"stage": "sink.npy", "input": "power", "layout": "TSC", "file": self.path("x.npy")}})
        return graph, {"in": data}

    def begins(self, goes_on):
        """Waits until the run has begun its file; False where it ends before that."""
        while not any(name.endswith(".part") for name in os.listdir(self.folder)):
            if not goes_on():
                return False
            time.sleep(0.05)
        return True

    def test_ctrl_c_stops_a_run_and_leaves_no_file(self):
        graph, inputs = self.endless()
        done = threading.Event()

        def interrupt():
            if self.begins(lambda: not done.is_set()):
                os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        killer = threading.Thread(target=interrupt)
        killer.start()
        with self.assertRaises(KeyboardInterrupt):  # else it goes on for years
            try:
                cornerturn.run(graph, inputs)
            finally:
                done.set()
        killer.join()
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual([thread for thread in threading.enumerate() if thread.name == "cornerturn"], [])

    def test_a_script_ends_by_ctrl_c(self):
        script = "import sys; sys.path.insert(0, 'tests/python'); import running_test as t; e = t.Stopping(); " \
                 "t.signal.signal(t.signal.SIGINT, t.signal.default_int_handler); " \
                 f"e.folder = {self.folder!r}; t.cornerturn.run(*e.endless())"
        process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
        begun = self.begins(lambda: process.poll() is None)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        self.assertTrue(begun, said)
        self.assertIn(b"KeyboardInterrupt", said)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_runs_in_several_threads(self):
        results = {}

        def one(seed):
            data = voltages(seed)
            results[seed] = np.array_equal(cornerturn.run(through(), {"in": cornerturn.array(data, "SPT")})["out"], data)

        threads = [threading.Thread(target=one, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, dict.fromkeys(range(4), True))


if __name__ == "__main__":
    unittest.main()
