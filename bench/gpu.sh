#!/usr/bin/env bash
# gpu.sh: what a machine's GPU does with all of this, in ten minutes: is what the stages compute right, how near their speed is
# to the device's limits, pipelines by default and tuned, and what transfers cost beside kernels. A page of results
# is complete after every row, so that a run that is cut off leaves what there is. Nothing that fails ends it.
#
#   bench/gpu.sh [--out build/gpu] [--seconds 600] [--parts "verify stages pipelines overlap tuned"] [--device NAME]
#                [--build FOLDER] [--size thesis] [--stages "fir fft .."] [--pipelines "pipeline1 pipeline2"]
#                [--rounds 5] [--jobs N] [--shares 64] [--budget S] [--block 2048] [--stations 64] [--blocks 24] [--folder /dev/shm]
#   bench/gpu.sh --pack FOLDER      the command and its libraries, for a machine without them: then --build FOLDER
#
#   results.md     the page                                 results.json   the same for programs
#   findings.tsv   name, value, unit: to be quoted          device.json    what `info device --json` says
#   NAME.plan.json what a tuning found
#
# --device: without it the first GPU of `info devices`; a driver that no .icd file names is looked for, too. --build has the
# command, and is built where it has none (scripts/setup.sh, which installs). --seconds are divided among the parts that are
# left, and what one leaves over goes to the next ones. --stages: names or pages of stages; all. --pipelines: of
# bench/experiments, or files. --shares: so many of the 64 of each stage's `verify --quick` at most. --budget: seconds of a
# tuning at most. --block, --stations, --blocks: samples of 64 channels, stations and blocks of the file of `overlap`, which
# lies in --folder. Ends with 2 for wrong usage, 4 without a GPU, else 0: failures are in the page.
set -uo pipefail
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
fail() { echo "gpu.sh: $1" >&2; exit "${2:-2}"; }

declare -A share_of=([verify]=30 [stages]=25 [pipelines]=12 [overlap]=8 [tuned]=25)
out=build/gpu seconds=600 parts="verify stages pipelines overlap tuned" device='' build='' size=thesis stages='' pipelines="pipeline1 pipeline2"
rounds=5 jobs='' shares=64 budget=3600 block=2048 stations=64 blocks=24 folder=/dev/shm pack=''
while [ $# -gt 0 ]; do
    case $1 in
        --out | --seconds | --parts | --device | --build | --size | --stages | --pipelines | --rounds | --jobs | --shares | --budget | --block | --stations | --blocks | --folder | --pack)
            [ $# -gt 1 ] || fail "$1: a value is missing"
            declare "${1#--}=$2"; shift 2 ;;
        --help | -h) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
        *) fail "no option $1; --help lists them" ;;
    esac
done
for part in $parts; do
    [ -n "${share_of[$part]:-}" ] || fail "no part $part, expected some of verify, stages, pipelines, overlap, tuned"
done
for number in seconds rounds shares budget block stations blocks; do
    [[ ${!number} =~ ^[1-9][0-9]*$ ]] || fail "--$number: expected a whole number, 1 or more, found ${!number}"
done
out=$(absolute "$out")
[ -z "$build" ] || build=$(absolute "$build")
[ -z "$pack" ] || pack=$(absolute "$pack")
case $device in as:*) device=as:$(absolute "${device#as:}") ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
: "${build:=$PWD/build}"

# ---- the command
command_here()
{
    cornerturn=${CORNERTURN:-$build/cornerturn}
    export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    [ ! -x "$cornerturn" ] || return 0
    [ "$build" = "$PWD/build" ] || fail "$cornerturn is no program: --build names a folder with the command in it"
    # shellcheck source=/dev/null
    (. scripts/setup.sh && setup_install && setup_build CT_TESTS=OFF) >&2 || fail "the build failed" 1
}

# pack FOLDER: the loader of OpenCL is among the libraries, those of the C library are not.
pack()
{
    mkdir -p "$1/lib"
    cp -L "$cornerturn" "$1/cornerturn"
    ldd "$cornerturn" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|librt|libpthread|libresolv)\.so/ { print $3 }' | xargs -I{} cp -L {} "$1/lib/"
    echo "packed $(du -sh "$1" | cut -f1) in $1; there: bench/gpu.sh --build FOLDER"
}

# A driver that no .icd file names, as in containers: the loader is told of it.
find_driver()
{
    local library name
    mkdir -p "$work/vendors"
    for name in libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so; do
        library=$(ldconfig -p 2>/dev/null | awk -v name=$name '$1 == name { print $NF; exit }')
        [ -n "$library" ] || library=$(compgen -G "/usr/local/nvidia/lib*/$name" || compgen -G "/opt/rocm*/lib*/$name" | head -n 1)
        [ -z "$library" ] || head -n 1 <<<"$library" >"$work/vendors/$name.icd"
    done
    compgen -G "$work/vendors/*.icd" >/dev/null || return 1
    cp /etc/OpenCL/vendors/*.icd "$work/vendors/" 2>/dev/null
    export OCL_ICD_VENDORS=$work/vendors
}

first_gpu() { "$cornerturn" info devices --json 2>/dev/null | grep -m 1 '"cpu": false' | grep -oE '"number": [0-9]+' | grep -oE '[0-9]+'; }

pick_device()
{
    [ -z "$device" ] || return 0
    device=$(first_gpu) || { find_driver && device=$(first_gpu); }
    [ -n "$device" ] || fail "there is no GPU with an OpenCL driver here; --device names another device ($("$cornerturn" info devices 2>&1 | grep -c .) lines in \`cornerturn info devices\`)" 4
}

# ---- the page
quoted() { tr '\n\t\r' '   ' | tr -d '\000-\037' | sed 's/[\\"]/\\&/g; s/^/"/; s/$/"/' | cut -c 1-600; }
cells() { tr '\n|' ' /' | cut -c 1-200; }

# row PART TABLE_ROW JSON: adds to a part, and writes the page anew.
row()
{
    [ -z "$2" ] || printf '%s\n' "$2" >>"$work/$1.md"
    [ -z "$3" ] || printf '%s\n' "$3" >>"$work/$1.rows"
    write_page
}

# find NAME VALUE UNIT: one of the findings, which pages quote by their names.
find_out() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/findings"; }

page()
{
    printf '# Results of a GPU\n\nMade by `bench/gpu.sh`%s, version %s, %s UTC; %s of %s s.\n\n' "${asked:+ with \`$asked\`}" "$version" "$began" \
        "$SECONDS" "$seconds"
    cat "$work/device.md"
    for part in $parts; do
        [ -s "$work/$part.md" ] && { echo; cat "$work/$part.md"; } || printf '\n## %s\n\nnot begun\n' "$part"
    done
    printf '\n## Findings\n\n| name | value | unit |\n|---|---:|---|\n'
    awk -F '\t' '{ printf "| %s | %s | %s |\n", $1, $2, $3 }' "$work/findings"
}

page_json()
{
    printf '{"cornerturn_gpu": 1, "version": "%s", "began": "%s", "seconds": %s, "of_seconds": %s,\n"device": %s' "$version" "$began" "$SECONDS" "$seconds" \
        "$(cat "$out/device.json")"
    for part in $parts; do
        printf ',\n"%s": [%s]' "$part" "$(sed '$!s/$/,/' "$work/$part.rows" 2>/dev/null)"
    done
    printf ',\n"findings": {%s}}\n' "$(awk -F '\t' '{ printf "%s\n\"%s\": %s", (NR > 1 ? "," : ""), $1, $2 }' "$work/findings")"
}

write_page()
{
    page >"$out/results.md.part" && mv "$out/results.md.part" "$out/results.md"
    page_json >"$out/results.json.part" && mv "$out/results.json.part" "$out/results.json"
    cp "$work/findings" "$out/findings.tsv"
}

# ---- time
left() { echo $((until > SECONDS ? until - SECONDS : 0)); }
now() { date +%s.%N; }
# slice END LEFT FACTOR: `until` for one of those that are left of a part that ends at END
slice() { until=$((SECONDS + $3 * ($1 - SECONDS) / $2)); until=$((until < $1 ? until : $1)); }
calc() { awk "BEGIN { printf \"%.4g\", $1 }"; }

# timed COMMAND..: within what is left of the part; `said` and `code` say how it ended, log has what it printed.
timed()
{
    local limit
    limit=$(left) code=0 said='done'
    [ "$limit" -gt 0 ] || { code=124 said="not tried: the time was up"; return 1; }
    timeout --kill-after=5 "$limit" "$@" >"$work/stdout" 2>"$work/log" || code=$?
    case $code in
        0) return 0 ;;
        124) said="cut: the time was up" ;;
        12[5-9] | 1[3-9]?) said="ended by signal $((code - 128))" ;;
        *) said="failed: $({ grep -v '^ *$' "$work/log" || cat "$work/stdout"; } | tail -n 1 | cells)" ;;
    esac
    return 1
}

# ---- verify: each stage's quick verify in 64 shares, the first ones of all stages first, by several processes, until the
# time is up
verify_lane() # LANE STAGES..: log.NUMBER.LANE has what a stage's shares printed, and a line of code and share for each
{
    local lane=$1 job code share stage names=("${@:2}")
    for ((job = lane; job < shares * ${#names[@]} && $(left) > 0; job += jobs)); do
        share=$((job / ${#names[@]})) stage=$((job % ${#names[@]})) code=0
        {
            timeout --kill-after=5 "$(left)" "$cornerturn" verify "${names[stage]}" --quick --jobs 1 --part "$share/64" --device "$device" 2>&1 || code=$?
            echo "ended $code $share"
        } >>"$work/log.$stage.$lane"
    done
}

# Of all lanes of a stage: "result shares variants wrong worst what". Of a share that the time cut off nothing is known.
verify_sum()
{
    compgen -G "$work/log.$1.*" >/dev/null || { echo "cut 0 0 0 0"; return; }
    awk 'FNR == 1 { begun = 0 } /^variant / { begun++; last = substr($0, 9) }
        /^report / { wrong += $7; if ($10 > worst) worst = $10; if ($9) failed = 1 }
        /^error / && what == "" && !/^error (and|[0-9])/ { what = substr($0, 7) }
        /^ended / { if ($2 == 0 || $2 == 6) { done++; tried += begun }
            else if ($2 == 124 || $2 == 137) cut = 1
            else if ($2 > 128) { crashed = 1; what = "ended by signal " $2 - 128 " while it tried " last } else failed = 1
            begun = 0 }
        END { result = crashed ? "crashed" : wrong ? "wrong" : failed ? "failed" : !done ? "cut" : "right"
            print result, done + 0, tried + 0, wrong + 0, worst + 0, what }' "$work/log.$1".*
}

part_verify()
{
    local stage lane result done_of tried wrong worst what right=0 count=0 names
    row verify "## Verify"$'\n\nAgainst the double-precision reference, in 64 shares of `verify --quick` each; \"right\": so are all variants that there was time for.\n\n| stage | | shares of 64 | variants | wrong | worst error | |\n|---|---|---:|---:|---:|---:|---|' ''
    read -ra names <<<"$stages"
    rm -f "$work"/log.*
    for ((lane = 0; lane < jobs; lane++)); do verify_lane $lane "${names[@]}" & done
    wait
    for stage in "${names[@]}"; do
        read -r result done_of tried wrong worst what < <(verify_sum $count)
        count=$((count + 1))
        [ "$result" != right ] || right=$((right + 1))
        row verify "| $stage | $result | $done_of | $tried | $wrong | $worst | $(cells <<<"$what") |" \
            "{\"stage\": \"$stage\", \"result\": \"$result\", \"shares\": $done_of, \"of\": 64, \"variants\": $tried, \"wrong\": $wrong, \"worst\": $worst, \"said\": $(quoted <<<"$what")}"
    done
    find_out verify.stages "$count" stages
    find_out verify.right "$right" stages
}

# ---- stages: speed and share of the limits
limits_of() { grep -E '^\| (fma_f32|dot_i8|dot_i16|copy|nt_copy|local_read) \| [0-9]' "$work/stdout" | while IFS='| ' read -r _ name rate _; do
    find_out "limits.$name" "$rate" G/s; done; }

stage_rows() # of bench's table: name, ms, GFLOP/s, GB/s, of FMA, of copy
{
    local _ name ms flops bytes fma copy rest
    while IFS='|' read -r _ name ms flops bytes fma copy rest; do
        row stages "|$name|$ms|$flops|$bytes|$fma|$copy| $(grep -oE WRONG <<<"$rest") |" ''
        name=$(awk '{ print $1 }' <<<"$name")
        find_out "stages.$name.ms" "${ms// /}" ms
        find_out "stages.$name.of_fma" "${fma// /}" 1
        find_out "stages.$name.of_copy" "${copy// /}" 1
    done < <(grep -E '^\| [a-z0-9-]+ [a-z0-9]+ [A-Z]+ > [A-Z]+ \|' "$work/stdout")
}

part_stages()
{
    local stage known='' end=$until names count=0
    row stages "## Stages"$'\n\nDefault tunables and preferred layouts, size '"$size"$'; shares of what the device does at most, measured beside each.\n\n| stage | ms | GFLOP/s | GB/s | of FMA | of copy | |\n|---|---:|---:|---:|---:|---:|---|' ''
    read -ra names <<<"$stages"
    for stage in "${names[@]}"; do
        slice "$end" $((${#names[@]} - count)) 2 # none takes the time of all others
        count=$((count + 1))
        if timed "$cornerturn" bench "$stage" --size "$size" --budget 0 --rounds "$rounds" --device "$device" --json "$work/measured"; then
            [ -n "$known" ] || limits_of
            known=yes
            stage_rows
            row stages '' "{\"stage\": \"$stage\", \"said\": \"$said\", \"measured\": $(tr '\n' ' ' <"$work/measured")}"
        elif [ "$code" = 2 ]; then
            said="no such stage in size $size" # of these sizes not all have every stage
            row stages '' "{\"stage\": \"$stage\", \"said\": \"$said\"}"
        else
            row stages "| $stage | | | | | | $said |" "{\"stage\": \"$stage\", \"said\": $(quoted <<<"$said")}"
        fi
    done
}

# ---- pipelines: by default, and tuned
file_of() { case $1 in *.json) echo "$1" ;; *) echo "bench/experiments/$1.json" ;; esac; }

# plans NAME ARGUMENTS..: rehearses plans; `plan` has the table's rows "plan block seconds per_signal ratio interval".
plans()
{
    timed "$cornerturn" bench "$(file_of "$1")" --processes 1 --rounds "$rounds" --device "$device" --json "$work/measured" "${@:2}" || return 1
    mapfile -t plan < <(awk -F ' *[|] *' '/^\| (default|[^ ]*\.json) \|/ { print $2, $3, $4 * 1e3, $5, $6, $7 }' "$work/stdout")
}

part_pipelines()
{
    local name ms per
    row pipelines "## Pipelines"$'\n\nThe default plan, rehearsed: arrays are in the device\'s memory, sources and sinks do nothing.\n\n| pipeline | block | ms a block | blocks/s | seconds per second of signal | |\n|---|---:|---:|---:|---:|---|' ''
    for name in $pipelines; do
        if plans "$name" --plan default; then
            read -r _ _ ms per _ <<<"${plan[0]}"
            row pipelines "| $name | $(awk '{ print $2 }' <<<"${plan[0]}") | $ms | $(calc "1e3 / $ms") | $per | |" \
                "{\"pipeline\": \"$name\", \"said\": \"$said\", \"measured\": $(tr '\n' ' ' <"$work/measured")}"
            find_out "pipelines.$(basename "$name" .json).ms" "$ms" "ms a block"
        else
            row pipelines "| $name | | | | | $said |" "{\"pipeline\": \"$name\", \"said\": $(quoted <<<"$said")}"
        fi
    done
}

tune_one() # NAME: each of those that are left gets as much of the time, less what comparing takes
{
    local name=$1 base ms ratio interval most
    base=$(basename "$1" .json)
    most=$((($(left) * 2) / 3))
    most=$((most < budget ? most : budget))
    [ "$most" -gt 0 ] || { said="not tried: the time was up"; return 1; }
    rm -f "$out/$base.plan.json"
    timed "$cornerturn" tune "$(file_of "$name")" -o "$out/$base.plan.json" --budget "$most" --device "$device" || [ -s "$out/$base.plan.json" ] || return 1
    rm -f "$out/$base.plan.json.journal"
    plans "$name" --plan default --plan "$out/$base.plan.json" || return 1
    read -r _ _ ms _ ratio interval <<<"${plan[1]}"
    row tuned "| $name | $most | $(awk '{ print $3 }' <<<"${plan[0]}") | $ms | $ratio | $interval | |" \
        "{\"pipeline\": \"$name\", \"said\": \"$said\", \"budget_s\": $most, \"measured\": $(tr '\n' ' ' <"$work/measured")}"
    find_out "tuned.$base.of_default" "$ratio" 1
}

part_tuned()
{
    local name names end=$until count=0
    row tuned "## Tuned"$'\n\nThe plan that so many seconds of tuning found, in turns with the default in a fresh process; the ratio is of seconds per second of signal, with its interval of 95 %.\n\n| pipeline | tuning, s | default, ms a block | tuned, ms a block | of default | 95 % | |\n|---|---:|---:|---:|---:|---|---|' ''
    read -ra names <<<"$pipelines"
    for name in "${names[@]}"; do
        slice "$end" $((${#names[@]} - count)) 1
        count=$((count + 1))
        tune_one "$name" || row tuned "| $name | | | | | | $said |" "{\"pipeline\": \"$name\", \"said\": $(quoted <<<"$said")}"
    done
}

# ---- overlap: a file's samples are sent while the block before is computed
overlap_pipeline() # FILE KERNELS..: the nodes between the file and the sink, the last one named "last"
{
    local file=$1
    shift
    awk -v count="$stations" 'BEGIN { printf "{ \"cornerturn\": 1, \"constants\": { \"stations\": ["
        for (i = 0; i < count; i++) { r = 3 * sqrt(i + 1); printf "%s[%.1f, %.1f, 0]", i ? ", " : "", r * cos(2.4 * i), r * sin(2.4 * i) }
        printf "], \"beams\": ["
        for (i = 0; i < count; i++) printf "%s[%.1f, 60]", i ? ", " : "", 30 + 0.5 * i
        print "] }," }'
    printf '"block": { "T": %s }, "nodes": {\n' "$block"
    printf '"v": { "stage": "source.raw", "file": "%s", "dims": "TCSP", "type": "ci8", "sizes": { "C": 64, "S": %s, "P": 2 },\n' \
        "$work_data/voltages.raw" "$stations"
    printf '  "sample_time_s": 5.12e-6, "frequency_hz": [%s] },\n%s,\n' "$(seq -s , 140e6 195312.5 152.4e6)" "$*"
    printf '"out": { "stage": "sink.raw", "input": "last", "file": "%s" } } }\n' "$file"
}

# run_ms PIPELINE: sets `ms` to that of a block, from the run's first to its last
run_ms()
{
    timed "$cornerturn" run "$1" --plan default --quiet --device "$device" --stats "$work/stats" || return 1
    ms=$(tail -n 1 "$work/stats" | awk -F '[:,] *' '{ for (i = 1; i < NF; i++) of[$i] = $(i + 1); printf "%.4g", 1e3 * of["\"wall_s\""] / of["\"block\""] }')
}

overlap_measure()
{
    overlap_pipeline "$work_data/sums.raw" "\"last\": { \"stage\": \"detect\", \"input\": \"v\", \"integrate\": 256 }" >"$work/sent.json"
    # shellcheck disable=SC2016
    overlap_pipeline "$work_data/beams.raw" '"beams": { "stage": "beamformer", "input": "v", "positions": "$stations", "directions": "$beams" },' \
        '"last": { "stage": "detect", "input": "beams", "integrate": 16 }' >"$work/both.json"
    timed dd if=/dev/urandom of="$work_data/one.raw" bs=$((256 * stations)) count="$block" iflag=fullblock || return 1
    for ((i = 0; i < blocks; i++)); do cat "$work_data/one.raw"; done >"$work_data/voltages.raw" || { said="failed: no room in $folder"; return 1; }
    timed "$cornerturn" run "$work/both.json" --build-only --plan default --quiet --device "$device" || return 1
    run_ms "$work/sent.json" || return 1
    sent=$ms
    run_ms "$work/both.json" || return 1
    both=$ms
    plans "$work/both.json" --plan default || return 1
    read -r _ _ kernels _ <<<"${plan[0]}"
}

part_overlap()
{
    local sent both kernels hidden ms i
    row overlap "## Overlap"$'\n\nA file of voltages, sent to the device block by block, to detected beams: sending with next to no kernels; the kernels, rehearsed without any transfers; and both, as a run does them. Hidden: the part of the shorter of them that the run does not wait for.\n\n| | |\n|---|---:|' ''
    work_data=$(mktemp -d "$folder/gpu.XXXXXX") || { row overlap "| failed | $folder cannot be written |" '{"said": "no folder"}'; return; }
    if overlap_measure; then
        hidden=$(calc "($sent + $kernels - $both) / ($sent < $kernels ? $sent : $kernels)")
        row overlap "| block | $block samples of $stations stations, $((256 * block * stations)) bytes |
| read and sent, ms a block | $sent |
| kernels, ms a block | $kernels |
| both, ms a block | $both |
| blocks/s | $(calc "1e3 / $both") |
| real time | $(calc "$block * 5.12e-3 / $both") |
| hidden | $hidden |" "{\"said\": \"$said\", \"block\": $block, \"bytes\": $((256 * block * stations)), \"sent_ms\": $sent, \"kernels_ms\": $kernels, \"both_ms\": $both, \"hidden\": $hidden}"
        find_out overlap.sent.gb_s "$(calc "256e-6 * $block * $stations / $sent")" GB/s
        find_out overlap.both.ms "$both" "ms a block"
        find_out overlap.blocks_s "$(calc "1e3 / $both")" blocks/s
        find_out overlap.hidden "$hidden" 1
    else
        row overlap "| $said | |" "{\"said\": $(quoted <<<"$said")}"
    fi
    rm -rf "$work_data"
}

# ---- all of it
describe()
{
    "$cornerturn" info device "$device" --json >"$out/device.json" 2>"$work/log" || fail "$(cat "$work/log")" 4
    printf '## Device\n\n```text\n%s\n```\n' "$("$cornerturn" info device "$device")" >"$work/device.md"
    [ -n "$stages" ] || stages=$("$cornerturn" info stages --json | grep -oE '"name": "[a-z]+", .*"role": "kernel"' | cut -d'"' -f4 | tr '\n' ' ')
    : "${jobs:=$(($(nproc) < 8 ? $(nproc) : 8))}"
}

command_here
work=$(mktemp -d)
work_data=$work
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work" "$work_data"' EXIT
[ -z "$pack" ] || { pack "$pack"; exit; }
export LC_ALL=C POCL_AFFINITY=${POCL_AFFINITY:-1} XDG_DATA_HOME=$work/stored
mkdir -p "$out"
touch "$work/findings"
pick_device
version=$("$cornerturn" --version 2>&1 | head -n 1) began=$(date -u '+%Y-%m-%d %H:%M') asked="--device $device --size $size"
describe
write_page
whole=0 SECONDS=0
for part in $parts; do whole=$((whole + share_of[$part])); done
for part in $parts; do
    until=$((SECONDS + (seconds - SECONDS) * share_of[$part] / whole))
    whole=$((whole - share_of[$part]))
    echo "$part: until $until s of $seconds" >&2
    "part_$part"
done
write_page
echo "$out/results.md"
