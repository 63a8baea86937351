#!/usr/bin/env bash
# numpy_test.sh BUILD: the Python package: its own tests, which compare runs with NumPy, descriptions with files of
# the command, and structs with the C compiler's. Skipped where no python3 has numpy.
set -euo pipefail
. tests/python/python.sh "$(cd "$1" && pwd)"
exec "$python" -W error::ResourceWarning -m unittest discover -s tests/python -t tests/python -p '*_test.py' -b
