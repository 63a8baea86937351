#!/usr/bin/env bash
# bench_gpu_test.sh BUILD: bench/gpu.sh without a GPU: its parts at small sizes, on a CPU treated as a GPU and, where limits are
# measured, on the CPU as it is. The page and its JSON have every part, a wrong stage and one that crashes are told and end
# nothing, a run that is ended leaves a page, and what is packed runs by itself.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
"$CORNERTURN" info devices >/dev/null 2>&1 || { echo 'no OpenCL device: skipped'; exit 77; }
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
fail() { echo "failed: $*"; cat "$work"/*/results.md "$work/log" 2>/dev/null; exit 1; }
has() { grep -qE -- "$2" "$1" || fail "$1 lacks '$2'"; }
finding() { awk -F '\t' -v name="$2" '$1 == name { print $2 }' "$1/findings.tsv"; }
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $1"; }
is_json() { command -v python3 >/dev/null || return 0; python3 -m json.tool <"$1" >/dev/null || fail "$1 is no JSON"; }
gpu() { bench/gpu.sh --build "$build" --folder "$work" --rounds 1 --seconds 900 --jobs 1 "$@" 2>"$work/log" >/dev/null || fail "gpu.sh $*: exit $?"; }

# A stage whose formula is wrong, and one during whose verify the command crashes.
cp -r tests/errors/own-stage-wrong-formula "$work/page"
cat >"$work/command" <<END
#!/bin/sh
[ "\$1 \$2" != "verify transpose" ] || { echo "variant transpose case 1"; kill -SEGV \$\$; }
exec "$CORNERTURN" "\$@"
END
chmod +x "$work/command"

as=$work/as
CORNERTURN=$work/command gpu --out "$as" --parts "verify pipelines overlap" --device as:examples/devices/h200.json --shares 1 \
    --stages "detect transpose $work/page/power.json" --pipelines "pipeline1-small none" --block 64 --stations 4 --blocks 6
is_json "$as/results.json"
is_json "$as/device.json"
has "$as/device.json" '"kind": "gpu"'
has "$as/results.md" '^\| detect \| right \| 1 \| [1-9]'
has "$as/results.md" '^\| transpose \| crashed \| 0 .* ended by signal 11 while it tried transpose case 1'
has "$as/results.md" '^\| [^ ]*power.json \| wrong \| 1 \| [1-9][0-9]* \| [1-9].* got .*, expected '
has "$as/results.json" '"stage": "detect", "result": "right"'
[ "$(finding "$as" verify.right) of $(finding "$as" verify.stages)" = "1 of 3" ] || fail "not one stage of three is right"
has "$as/results.md" '^\| none \| .* failed: .*none.json'
holds "$(finding "$as" pipelines.pipeline1-small.ms) > 0"
holds "$(finding "$as" overlap.both.ms) > 0 && $(finding "$as" overlap.sent.gb_s) > 0"
# Of what was measured: how much that hides is noise with so small blocks.
cell() { awk -F ' *[|] *' -v name="$1" '$2 == name { print $3 }' "$as/results.md"; }
sent=$(cell 'read and sent, ms a block') kernels=$(cell 'kernels, ms a block') both=$(cell 'both, ms a block')
holds "($sent + $kernels - $both) / ($sent < $kernels ? $sent : $kernels) - $(finding "$as" overlap.hidden) < 0.01"
holds "($sent + $kernels - $both) / ($sent < $kernels ? $sent : $kernels) - $(finding "$as" overlap.hidden) > -0.01"
[ -z "$(compgen -G "$work/gpu.*")" ] || fail "the file that was sent is left"

cpu=$work/cpu
gpu --out "$cpu" --parts "stages tuned" --device 0 --size small --stages "detect shift none" --pipelines pipeline1-small --budget 20
is_json "$cpu/results.json"
has "$cpu/results.md" '^\| detect cf32 BPTC > BTC \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|'
holds "$(finding "$cpu" stages.detect.of_copy) > 0 && $(finding "$cpu" limits.fma_f32) > 0.1 && $(finding "$cpu" limits.copy) > 0.1"
has "$cpu/results.json" '"stage": "none", "said": "no such stage in size small"'
holds "$(finding "$cpu" tuned.pipeline1-small.of_default) > 0.2"
"$CORNERTURN" explain bench/experiments/pipeline1-small.json --plan "$cpu/pipeline1-small.plan.json" >/dev/null || fail "the plan cannot be used"

# Ended in the middle: what there was until then is a page.
bench/gpu.sh --build "$build" --out "$work/cut" --parts "verify stages" --device 0 --stages "detect" --seconds 900 >/dev/null 2>&1 &
for _ in $(seq 100); do [ -s "$work/cut/results.json" ] && break || sleep 0.1; done
{ kill $! && wait $!; } 2>/dev/null
is_json "$work/cut/results.json"
has "$work/cut/results.md" '^## stages'

bench/gpu.sh --build "$build" --pack "$work/packed" >/dev/null || fail "nothing is packed"
LD_LIBRARY_PATH=$work/packed/lib "$work/packed/cornerturn" info stages >/dev/null || fail "what is packed does not run"
[ -e "$work/packed/lib/libOpenCL.so.1" ] && [ ! -e "$work/packed/lib/libc.so.6" ] || fail "other libraries are packed"

refused() { local code=0; bench/gpu.sh --build "$build" "${@:2}" >/dev/null 2>"$work/log" || code=$?; [ $code = 2 ] && has "$work/log" "$1"; }
refused 'no part none, expected' --parts none
refused 'no option --no' --no
refused 'expected a whole number' --seconds 1.5
refused 'a value is missing' --out
"$CORNERTURN" info devices --json | grep -q '"cpu": false' || { bench/gpu.sh --build "$build" --out "$work/none" >/dev/null 2>"$work/log"
    [ $? = 4 ] && has "$work/log" 'there is no GPU'; } || fail "without a GPU: exit $?"
