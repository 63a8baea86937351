"""Arrays with names: files of the command as cornerturn.load reads them, and what parts of them keep."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import cornerturn

S, P, T, C = 3, 2, 101, 7


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data, **description):
        np.save(self.path(name), data)
        with open(self.path(name + ".json"), "w") as file:
            json.dump(description, file)
        return self.path(name)


class Files(Folder):
    def test_what_the_command_writes_has_its_names(self):
        nodes = {"sky": {"stage": "source.simulate", "stations": S, "samples": 1001},
                 "ppf": {"stage": "ppf", "input": "sky", "channels": 8, "taps": 4},
                 "power": {"stage": "detect", "input": "ppf"},
                 "raw": {"stage": "sink.npy", "input": "sky", "file": "raw.npy", "layout": "TSP"},
                 "out": {"stage": "sink.npy", "input": "power", "file": "power.npy", "layout": "CTS"}}
        with open(self.path("p.json"), "w") as file:
            json.dump({"cornerturn": 1, "nodes": nodes}, file)
        subprocess.run([os.environ["CORNERTURN"], "run", self.path("p.json"), "--quiet"], check=True, stderr=subprocess.DEVNULL)

        raw = cornerturn.load(self.path("raw.npy"))
        self.assertEqual((raw.dims, raw.type, raw.shape), ("TSP", "ci8", (1001, S, P, 2)))
        memory = raw
        while isinstance(memory, np.ndarray) and not isinstance(memory, np.memmap):
            memory = memory.base
        self.assertIsInstance(memory, np.memmap)
        np.testing.assert_array_equal(raw, np.load(self.path("raw.npy")))
        parts = np.load(self.path("raw.npy")).astype(float)
        np.testing.assert_array_equal(raw.complex(), parts[..., 0] + 1j * parts[..., 1])
        np.testing.assert_allclose(raw.times, 5.12e-6 * (np.arange(1001) + 0.5), rtol=1e-14)
        np.testing.assert_array_equal(raw.frequencies, [150e6])

        power = cornerturn.load(self.path("power.npy"))
        self.assertEqual((power.dims, power.type, power.sizes), ("CTS", "f32", {"C": 8, "T": 125, "S": S}))
        np.testing.assert_allclose(power.frequencies, 150e6 + (np.arange(8) - 4) / 5.12e-6 / 8, rtol=1e-14)
        np.testing.assert_allclose(np.diff(power.times), 8 * 5.12e-6)
        self.assertEqual((power.meta["products"], power.meta["start_mjd"]), (["I"], 60000))

    def test_the_description_of_older_versions_is_read_and_the_new_one_is_preferred(self):
        data = np.arange(6, dtype=np.float32)
        np.save(self.path("x.npy"), data)
        for name, second in (("x.json", 2), ("x.npy.json", 1)):
            with open(self.path(name), "w") as file:
                json.dump({"dims": "T", "sample_time_s": second}, file)
            self.assertEqual(cornerturn.load(self.path("x.npy")).meta["sample_time_s"], second)

    def test_a_description_need_not_name_the_axes(self):
        for name in ("x.json", "x.npy.json"):
            np.save(self.path("x.npy"), np.zeros(3, np.float32))
            with open(self.path(name), "w") as file:
                json.dump({"sample_time_s": 2}, file)
            self.assertEqual(cornerturn.load(self.path("x.npy"), "T", start_s=0).times.tolist(), [0, 2, 4])
            os.remove(self.path(name))

    def test_a_pipeline_of_the_same_name_is_no_description(self):
        np.save(self.path("x.npy"), np.zeros(3, np.float32))
        with open(self.path("x.json"), "w") as file:
            file.write('{"cornerturn": 1, "nodes": {}}')
        with self.assertRaisesRegex(cornerturn.Error, r"x\.npy: expected .*x\.npy\.json beside it, or dims"):
            cornerturn.load(self.path("x.npy"))
        self.assertEqual(cornerturn.load(self.path("x.npy"), "T").dims, "T")

    def test_orders_ends_and_sizes_of_other_programs(self):
        data = np.arange(S * T * C).reshape(S, T, C)
        for other in (np.asfortranarray(data.astype(">f4")), data.astype(np.float16), data.astype(">c8")):
            loaded = cornerturn.load(self.write("x.npy", other, dims="station,time,channel"))
            self.assertEqual(loaded.dims, "STC")
            np.testing.assert_array_equal(loaded, other)
        none = cornerturn.load(self.write("x.npy", data[:, :0].astype("i1"), dims="STC"))
        self.assertEqual((none.shape, len(none.times or [])), ((S, 0, C), 0))
        self.assertEqual(cornerturn.load(self.write("x.npy", data == 5, dims="STC")).type, "u8")

    def test_mistakes_are_told(self):
        data = np.zeros((S, T), np.float32)
        for sentence, array, description in (
            (r'x\.npy\.json: dims: expected a letter for each of 2 axes, found "STC"', data, {"dims": "STC"}),
            (r'x\.npy\.json: dims: expected capital letters .* found "st"', data, {"dims": "st"}),
            (r'x\.npy\.json: dims: expected each dimension once, found "TT"', data, {"dims": "TT"}),
            (r'x\.npy\.json: type: expected "f32", which float32 is here, found "ci8"', data, {"dims": "ST", "type": "ci8"}),
            (r"x\.npy\.json: type: expected numbers .* found int64", data.astype("i8"), {"dims": "ST"}),
            (r"x\.npy\.json: frequency_hz: expected a value for each of 1, found 2", data, {"dims": "ST", "frequency_hz": [1, 2]}),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(cornerturn.Error, sentence) as caught:
                cornerturn.load(self.write("x.npy", array, **description))
            self.assertEqual(caught.exception.status, cornerturn.Status.DATA)
        with self.assertRaisesRegex(cornerturn.Error, r'x\.npy\.json: unknown key "frequency"; did you mean "frequency_hz"\?'):
            cornerturn.load(self.write("x.npy", data, dims="ST", frequency=3))
        with self.assertRaisesRegex(cornerturn.Error, '^unknown key "nonsense", expected'):
            cornerturn.array(data, "ST", nonsense=1)
        with open(self.path("x.npy.json"), "w") as file:
            file.write('{"dims": ')
        with self.assertRaisesRegex(cornerturn.Error, r"x\.npy\.json: Expecting value"):
            cornerturn.load(self.path("x.npy"))

    def test_files_that_cannot_be_read_are_told(self):
        whole = self.write("whole.npy", np.zeros((S, T), np.float32), dims="ST")
        with open(whole, "rb") as file:
            content = file.read()
        for name, content, sentence in (("none.npy", None, "No such file"), ("x.fil", b"HEADER_START", "expected an .npy file"),
                                        ("cut.npy", content[:-9], "."), ("empty.npy", b"", "expected an .npy file")):
            if content is not None:
                with open(self.path(name), "wb") as file:
                    file.write(content)
            with self.assertRaisesRegex(cornerturn.Error, rf"{name}: .*{sentence}") as caught:
                cornerturn.load(self.path(name), "ST")
            self.assertEqual(caught.exception.status, cornerturn.Status.DATA)


class Names(unittest.TestCase):
    def setUp(self):
        self.data = np.random.default_rng(5).integers(-99, 99, (S, T, C)).astype(np.int16)
        self.named = cornerturn.array(self.data, "STC", sample_time_s=0.5, start_s=10,
                                      frequency_hz=100e6 + np.arange(C), dm=np.float64(3))

    def test_an_array_is_not_copied(self):
        self.assertTrue(np.shares_memory(self.named, self.data))
        self.assertTrue(np.shares_memory(self.named.order("CTS"), self.data))
        self.assertTrue(np.shares_memory(self.named.part(T=slice(3, 9)), self.data))

    def test_order_moves_axes_and_keeps_what_is_known(self):
        moved = self.named.order("CST")
        np.testing.assert_array_equal(moved, self.data.transpose(2, 0, 1))
        self.assertEqual((moved.dims, moved.meta), ("CST", self.named.meta))
        pairs = cornerturn.array(np.zeros((S, T, 2), np.int8), "ST").order("TS")
        self.assertEqual((pairs.type, pairs.shape), ("ci8", (T, S, 2)))
        with self.assertRaisesRegex(cornerturn.Error, 'expected the dimensions "STC" in another order, found "TS"'):
            self.named.order("TS")

    def test_a_part_has_its_own_times_and_frequencies(self):
        part = self.named.part(T=slice(5, 60, 7), C=slice(-3, None), S=1)
        np.testing.assert_array_equal(part, self.data[1, 5:60:7, -3:])
        self.assertEqual(part.dims, "TC")
        np.testing.assert_allclose(part.times, (10 + 0.5 * np.arange(T))[5:60:7])
        np.testing.assert_array_equal(part.frequencies, 100e6 + np.arange(C)[-3:])
        one = self.named.part(C=2, T=-1)
        self.assertEqual((one.dims, one.meta["frequency_hz"], one.meta["start_s"]), ("S", [100e6 + 2], 10 + 0.5 * (T - 1)))
        self.assertEqual(self.named.meta["frequency_hz"], list(100e6 + np.arange(C)))
        for bad in ({"X": 1}, {"T": slice(None, None, -1)}, {"SC": 1}):
            with self.assertRaises(cornerturn.Error):
                self.named.part(**bad)

    def test_channels_of_subbands(self):
        centres = np.arange(3 * C, dtype=float)
        named = cornerturn.array(np.zeros((T, 3, C), np.float32), "TFC", frequency_hz=centres)
        np.testing.assert_array_equal(named.frequencies, centres.reshape(3, C))
        part = named.part(F=slice(1, 3), C=slice(0, 5, 2))
        np.testing.assert_array_equal(part.frequencies, centres.reshape(3, C)[1:3, :5:2])
        np.testing.assert_array_equal(named.part(F=1).frequencies, centres.reshape(3, C)[1])

    def test_numpys_own_results_have_no_names(self):
        for other in (self.named[0], self.named.T, self.named + 1, self.named.mean(axis=0), self.named.copy()):
            self.assertEqual((other.dims, other.times, other.frequencies), ("", None, None))

    def test_complex_integers_become_complex_numbers(self):
        for dtype, type, wide in (("i1", "ci8", "c8"), ("i2", "ci16", "c8"), ("f2", "cf16", "c8"), ("i4", "ci32", "c16"),
                                  ("i8", "ci64", "c16")):
            parts = np.arange(-14, 14).reshape(7, 2, 2).astype(dtype)
            named = cornerturn.array(parts.transpose(1, 0, 2), "ST")
            self.assertEqual(named.type, type)
            self.assertEqual(named.complex().dtype, np.dtype(wide))
            np.testing.assert_array_equal(named.complex(), parts.transpose(1, 0, 2) @ [1, 1j])
        plain = cornerturn.array(np.ones((2, 3), np.complex64), "ST")
        self.assertTrue(np.shares_memory(plain.complex(), plain))


if __name__ == "__main__":
    unittest.main()
