"""Structs and enums of the package are the C compiler's, and lists that the library has as well are the same."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest

import cornerturn
from cornerturn import arrays, library, running

STRUCTS = (library.ct_error, library.ct_layout, library.ct_io)


def compiled(lines):
    """What the compiler makes of expressions, as numbers."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "sizes.c"), os.path.join(folder, "sizes")
        with open(source, "w") as file:
            file.write("#include <cornerturn_tune.h>\n#include <cornerturn_stage.h>\n#include <stdio.h>\nint main(void)\n{\n")
            file.writelines(f'    printf("%lld\\n", (long long)({line}));\n' for line in lines)
            file.write("}\n")
        command = [os.environ.get("CC", "cc"), "-std=c11", "-Iinclude", source, "-o", program]
        subprocess.run(command, check=True)
        return [int(line) for line in subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout.split()]


class Structs(unittest.TestCase):
    def test_fields_are_where_the_compiler_has_them(self):
        expressions, expected = [], []
        for struct in (*STRUCTS, library.ct_array):
            for name, *_ in struct._fields_:
                field, of = getattr(struct, name), f"{struct.__name__}, {name}"
                expressions += [f"offsetof({of})", f"sizeof((({struct.__name__} *)0)->{name})"]
                expected += [field.offset, field.size]
        for struct in STRUCTS:  # whose ends are known, too
            expressions.append(f"sizeof({struct.__name__})")
            expected.append(ctypes.sizeof(struct))
        found = dict(zip(expressions, compiled(expressions)))
        self.assertEqual(found, dict(zip(expressions, expected)))
        self.assertGreater(len(found), 30)

    def test_numbers_have_the_same_names(self):
        names = {f"CT_{status.name}": int(status) for status in cornerturn.Status}
        names.update(CT_DIMS=library.DIMS, CT_FORM_JSON=library.FORM_JSON, CT_TUNE_MATCH_USUAL=running.MATCH_USUAL)
        self.assertEqual(dict(zip(names, compiled(names))), names)

    def test_every_type_is_there(self):
        calls = library.library()
        names = [calls.ct_type_name(number).decode() for number in range(1, compiled(["CT_TYPES"])[0])]
        self.assertEqual(sorted([*arrays.TYPES, "u1", "u2", "u4"]), sorted(names))  # these three are in files only

    def test_names_of_dimensions_are_the_librarys(self):
        with open("layouts/dim.c") as source:
            words = re.findall(r"\{\"([a-z]+)\", '([A-Z])'\}", source.read())
        self.assertEqual(arrays.NAMES, dict(words))

    def test_a_source_can_be_told_what_arrays_say(self):
        with open("io/shared/params.h") as source:
            params = re.findall(r'\{"([a-z_]+)", CT_PARAM', source.read())
        self.assertEqual(sorted(arrays.SHAPE + arrays.KNOWN), sorted(params))

    def test_keys_of_descriptions_are_the_librarys(self):
        with open("io/shared/sidecar_file.c") as source:
            keys = re.search(r"ct_sidecar_keys\[\] = \{(.*?)NULL", source.read(), re.DOTALL).group(1)
        self.assertEqual(sorted(arrays.SHAPE + arrays.KNOWN + arrays.WRITTEN), sorted(re.findall(r'"([a-z_]+)"', keys)))


class Version(unittest.TestCase):
    def test_is_the_headers(self):
        version = compiled(["CT_VERSION_MAJOR", "CT_VERSION_MINOR", "CT_VERSION_PATCH"])
        self.assertEqual(cornerturn.__version__, ".".join(map(str, version)))
        self.assertEqual(library.library().ct_version().decode(), cornerturn.__version__)

    def test_another_one_is_told_in_a_sentence(self):
        own = library.__version__
        self.addCleanup(setattr, library, "__version__", own)
        for other, serves in (("0.2.0", False), ("1.0.0", False), (own + "7", True)):
            library.__version__ = other
            if serves:
                library.Library(os.environ["CORNERTURN_LIBRARY"])
                continue
            with self.assertRaises(cornerturn.Error) as caught:
                library.Library(os.environ["CORNERTURN_LIBRARY"])
            self.assertRegex(str(caught.exception), rf"libcornerturn\.so is version {re.escape(own)}, and this Python")
            self.assertEqual(len(caught.exception.sentences), 1)

    def test_no_library_is_told_in_a_sentence(self):
        for name in ("/nowhere/libcornerturn.so", "libm.so.6"):
            with self.assertRaisesRegex(cornerturn.Error, "expected Cornerturn's library.*CORNERTURN_LIBRARY") as caught:
                library.Library(name)
            self.assertTrue(str(caught.exception).startswith(name))


if __name__ == "__main__":
    unittest.main()
