# python.sh: for the tests of the Python package: a python3 with numpy (PYTHON, the first, or Debian's), else they are
# skipped; the package of the source tree, and the library of the build. Sourced with the build folder.
for python in "${PYTHON:-python3}" /usr/bin/python3 ''; do
    "${python:-false}" -c 'import numpy, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && break
done
[ -n "$python" ] || { echo "no python3 with numpy: skipped"; exit 77; }
if grep -q -e '-fsanitize=' "$1/CMakeCache.txt"; then
    echo "a Python without the library's sanitizers cannot load it: skipped"
    exit 77
fi
export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export CORNERTURN_LIBRARY=$1/libcornerturn.so
