#!/usr/bin/env bash
# same_outputs.sh OTHER [BUILD]: two builds of Cornerturn compute the same: every example, run by the
# commands of both build folders, writes the same files byte for byte, and has the same plan and the
# same OpenCL source. To be run by hand after a change that must not change results. Plug-ins are
# built against each build's own headers, which lie in its source folder.
set -uo pipefail
other=$(cd "${1:?the folder of another build}" && pwd)
build=$(cd "${2:-build}" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_AFFINITY=1 XDG_DATA_HOME=$work/home LC_ALL=C
failed=0

# source_of BUILD: the source folder that it was configured from
source_of() { sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt"; }

# plug_in BUILD: that of stages/bandpass
plug_in()
{
    local top
    top=$(source_of "$1")
    cmake -DINPUT=stages/bandpass/bandpass.cl -DOUTPUT=bandpass_cl.h -DNAME=bandpass_cl -P "$top/cmake/embed.cmake" &&
        "${CC:-cc}" -O2 -fPIC -fvisibility=hidden -shared -I. -I"$top/include" -o bandpass.so "$top/examples/stages/bandpass/bandpass.c" -L"$1" -lcornerturn
}

# all BUILD FOLDER: runs all examples there; what they print of files is kept, too
all()
{
    local example name library
    cp -r "$work/start" "$2" && cd "$2" || return
    plug_in "$1" || echo "no plug-in"
    for example in *.json stages/*/try.json stages/bandpass/{measure,divide}.json; do
        case $example in embed.json) continue ;; esac
        library=()
        case $example in stages/bandpass/*) library=(--library bandpass.so) ;; esac
        name=${example//\//-}
        "$1/cornerturn" explain "$example" "${library[@]}" --save "plan-$name" >/dev/null || echo "$example has no plan"
        "$1/cornerturn" source "$example" "${library[@]}" >"source-$name" || echo "$example has no source"
        "$1/cornerturn" run "$example" "${library[@]}" --quiet || echo "$example fails"
        case $example in stages/bandpass/measure.json) cp data/gains.* gains.* stages/bandpass/ 2>/dev/null ;; esac
    done
    sed -i '/"digest": /d' plan-stages-bandpass-* # of the plug-in's file, which was built twice
    rm -f bandpass.so bandpass_cl.h
}

cp -r "$root/examples" "$work/start"
(cd "$work/start" && rm -rf data && "$root/scripts/example_data.sh" "$other/cornerturn")
all "$other" "$work/a" >"$work/a.log" 2>&1
all "$build" "$work/b" >"$work/b.log" 2>&1
cat "$work/b.log"
diff "$work/a.log" "$work/b.log" || failed=1
diff -rq "$work/a" "$work/b" || failed=1
echo "$(find "$work/b" -type f -newer "$work/start/data" | wc -l) files of $(cd "$work/b" && find . -name 'plan-*' | wc -l) examples: $([ $failed -eq 0 ] && echo the same || echo different)"
exit $failed
