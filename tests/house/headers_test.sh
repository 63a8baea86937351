#!/usr/bin/env bash
# headers_test.sh BUILD LIBRARY: the worked example in each public header is a whole program, compiles
# without a warning and does what it says; C and C++ take each header by itself. LIBRARY is the shared one.
set -euo pipefail
build=$1
library=$2
include=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../include" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$build/CMakeCache.txt" || true)

# example HEADER: what is indented in the comment that opens it.
example() {
    awk '/\*\/$/ || (on && /^ \* [^ ]/) { exit } /^ \*     #include/ { on = 1 } on' "$include/$1.h" |
        sed -E 's/^ \*( {5})?//' >"$work/$1.c"
    grep -q '^int main' "$work/$1.c"
    # shellcheck disable=SC2086 # the sanitizer may be none
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $sanitizer -I"$include" "$work/$1.c" "$library" \
        -Wl,-rpath,"$(dirname "$library")" -o "$work/$1"
}

example cornerturn
cat >"$work/pipeline.json" <<'END'
{"cornerturn": 1, "nodes": {
  "in": {"stage": "source.simulate", "stations": 2, "samples": 960},
  "out": {"stage": "sink.npy", "input": "in", "file": "out.npy"}}}
END
(cd "$work" && ./cornerturn) >"$work/said"
grep -q '^wrote .*out.npy$' "$work/said"
[ -s "$work/out.npy" ]
code=0
"$work/cornerturn" "$work/none.json" 2>"$work/said" || code=$?
[ "$code" = 5 ] && grep -q 'none.json' "$work/said"

example cornerturn_stage
"$work/cornerturn_stage" >"$work/said"
grep -qx 'right in 36 pairs of layouts' "$work/said"

for header in "$include"/*.h; do
    echo "#include \"$header\"" >"$work/one.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -c "$work/one.c" -o "$work/one.o"
done

command -v c++ >/dev/null || exit 0
(cd "$include" && printf '#include <%s>\n' *.h) >"$work/all.cpp"
echo 'int main() { return ct_version()[0] == 0; }' >>"$work/all.cpp"
# shellcheck disable=SC2086
c++ -std=c++11 -Wall -Werror $sanitizer -I"$include" "$work/all.cpp" "$library" \
    -Wl,-rpath,"$(dirname "$library")" -o "$work/all"
"$work/all"
