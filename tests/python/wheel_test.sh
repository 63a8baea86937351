#!/usr/bin/env bash
# wheel_test.sh BUILD: the Python package as people get it: a wheel that is built without a network and installed into a
# virtual environment, and what cmake --install has put beside the library. Skipped where no python3 has numpy, and the
# wheel where setuptools, wheel or pip are missing.
set -euo pipefail
build=$(cd "$1" && pwd)
. tests/python/python.sh "$build"
unset PYTHONPATH
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/try.py" <<'END'
import sys
import numpy as np
import cornerturn
assert cornerturn.__file__.startswith(sys.argv[1]), cornerturn.__file__
data = np.arange(-60, 60, dtype=np.int8).reshape(2, 30, 2)
out = cornerturn.run({"cornerturn": 1, "nodes": {"in": {"stage": "source.caller"}, "out": {"stage": "sink.caller", "input": "in"}}},
                     {"in": cornerturn.array(data, "ST")})["out"]
assert np.array_equal(out, data) and out.dims == "ST"
print(cornerturn.__version__)
END
cd "$work"
version=$("$CORNERTURN" --version | sed 's/.* //')

cmake --install "$build" --prefix "$work/prefix" >log || { cat log; exit 1; }
library=$(find "$work/prefix" -name libcornerturn.so)
said=$(PYTHONPATH=$work/prefix/share/cornerturn/python CORNERTURN_LIBRARY=$library "$python" try.py "$work/prefix/")
[ "$said" = "$version" ]

"$python" -c 'import setuptools.build_meta, wheel, pip, venv' 2>log || { echo "no wheel: $(tail -n 1 log)"; exit 77; }
cp -r "$root/python" source
"$python" -m pip --disable-pip-version-check wheel --no-build-isolation --no-deps --no-index -w . ./source >log 2>&1 || { cat log; exit 1; }
[ -f "cornerturn-$version-py3-none-any.whl" ]
"$python" -m zipfile -l "cornerturn-$version-py3-none-any.whl" | awk 'NR > 1 { print $1 }' | grep '^cornerturn/' | sort >found
(cd "$root/python" && ls cornerturn/*.py) | sort | diff - found
"$python" -m venv --without-pip --system-site-packages venv
"$python" -m pip --disable-pip-version-check --python venv/bin/python install --no-index --no-deps ./*.whl >log 2>&1 || { cat log; exit 1; }
[ "$(venv/bin/python try.py "$work/venv/")" = "$version" ]

# A library that cannot be loaded is one sentence, and reading files needs none.
CORNERTURN_LIBRARY=/nowhere/lib.so venv/bin/python - <<'END'
import numpy, cornerturn
numpy.save("x.npy", numpy.zeros(3, "f4"))
assert cornerturn.load("x.npy", "T").sizes == {"T": 3}
try:
    cornerturn.run({})
except cornerturn.Error as error:
    assert str(error).startswith("/nowhere/lib.so cannot be used"), error
else:
    raise SystemExit("it ran without a library")
END
