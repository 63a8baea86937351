#!/usr/bin/env bash
# claims_test.sh: nothing that a pipeline reads is written over, whoever reads it and under whatever
# name it would be written. Each line of the table is such a pair: the command must end with 3 and a
# sentence, and every file must stay what it was.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
failed=0 pairs=0

fail() { echo "failed: $*"; failed=$((failed + 1)); }
sums() { find . -type f ! -name log ! -name p.json -exec md5sum {} + | sort; }

# ---- what is read

raw='"dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 }, "sample_time_s": 5.12e-6'
series='"dims": "DT", "type": "f32", "sizes": { "D": 2 }, "sample_time_s": 1e-3, "dm": [0, 10]'
head -c 60000 /dev/urandom >v.raw
head -c 16000 /dev/zero >a_DM0.000.tim
head -c 16000 /dev/zero >s.raw
echo '{"dims": "TSP"}' >v.json
"$CORNERTURN" simulate lane.udp samples=4096 >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" simulate n.npy stations=3 samples=4096 >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" simulate f.fil samples=4096 channels=16 >log 2>&1 || fail "$(cat log)"
# npy SHAPE FILE: complex numbers, or positions
npy()
{
    local header="{'descr': '$3', 'fortran_order': False, 'shape': ($1), }" length
    length=$(printf '%-117s\n' "$header" | wc -c)
    { printf '\x93NUMPY\x01\x00'; printf "\\x$(printf %02x $((length % 256)))\\x00"; printf '%-117s\n' "$header"; head -c "$4" /dev/zero; } >"$2"
}
npy '2, 3' w.npy '<c8' 48
echo '{"dims": "BS"}' >w.json
npy '3, 3' pos.npy '<f8' 72
npy '8' taps.npy '<f4' 32
printf 'PIC.Core.CS00%d.LBA.phaseCenter = [1, 2, %d]\n' 1 1 2 2 3 3 >stations.parset
mkdir links
ln -s ../v.raw links/soft
ln v.raw links/hard
ln -s ../nothing-yet links/dangling
ln -s . same

# ---- pipelines: read NODES: what stands before the sinks

npy_source='"v": { "stage": "source.npy", "file": "n.npy" }'
raw_source='"v": { "stage": "source.raw", "file": "v.raw", '$raw' }'
series_source='"v": { "stage": "source.raw", "file": "a_DM0.000.tim", '$series' }'
lanes='"v": { "stage": "source.lofar", "files": ["lane.udp"] }'
beams='"x": { "stage": "source.simulate", "stations": 3, "samples": 4096 }, "c": { "stage": "fir", "input": "x", "channels": 4, "taps": 2 },
       "v": { "stage": "beamformer", "input": "c", "weights": "w.npy" }'
fir='"x": { "stage": "source.simulate", "stations": 3, "samples": 4096 }, "v": { "stage": "fir", "input": "x", "channels": 4, "taps": 2, "file": "taps.npy" }'
sky='"v": { "stage": "source.simulate", "stations": "stations.parset", "samples": 4096 }'
sinks() { echo '"out": { "stage": "'"$1"'", "input": "v", "file": "'"$2"'"'"${3:-}"' }'; }

# pair WHAT NODES SINKS [ARGUMENTS...]: run by default
pair()
{
    local what=$1 before after code
    echo "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": { $2, $3 } }" >p.json
    shift 3
    pairs=$((pairs + 1))
    before=$(sums)
    timeout 20 "$CORNERTURN" "${@:-run}" p.json ${extra:+$extra} >log 2>&1
    code=$?
    after=$(sums)
    [ "$code" = 3 ] || fail "$what: exit $code: $(cat log)"
    grep -qE 'nothing else uses|written twice' log || fail "$what: $(cat log)"
    [ "$before" = "$after" ] || fail "$what: $(diff <(echo "$before") <(echo "$after"))"
}
extra=

pair 'a source of numbers' "$raw_source" "$(sinks sink.raw v.raw)"
pair 'by another way' "$raw_source" "$(sinks sink.raw same/v.raw)"
pair 'through a soft link' "$raw_source" "$(sinks sink.raw links/soft)"
pair 'through a hard link' "$raw_source" "$(sinks sink.raw links/hard)"
pair 'a description of a source' "$raw_source" "$(sinks sink.candidates v.json | sed 's/sink.candidates/sink.raw/')"
mv v.json v.raw.json
pair 'a description of its newer name' "$raw_source" "$(sinks sink.raw v.raw.json)"
pair 'an array' "$npy_source" "$(sinks sink.npy n.npy)"
cp n.npy m_S001.npy
cp n.npy.json m_S001.npy.json
pair 'a derived name of a station' "${npy_source/n.npy/m_S001.npy}" "$(sinks sink.lofar m.npy)"
pair 'a filterbank' '"v": { "stage": "source.sigproc", "file": "f.fil" }' "$(sinks sink.sigproc f.fil)"
pair 'a derived name of a trial' "$series_source" "$(sinks sink.sigproc a.tim)"
pair 'station packets' "$lanes" "$(sinks sink.lofar lane.udp)"
head -c 40960 /dev/urandom >l_L1.udp
pair 'a derived name of a lane' '"v": { "stage": "source.raw", "file": "l_L1.udp", "dims": "TPC", "type": "ci8", "sizes": { "P": 2, "C": 2 } }' "$(sinks sink.lofar l.udp ', "lanes": 2')"
pair 'weights' "$beams" "$(sinks sink.raw w.npy)"
pair 'the description of weights' "$beams" "$(sinks sink.raw w.json)"
pair 'weights by a sink before them' "$beams, $(sinks sink.npy w.npy | sed 's/"v"/"x"/')" "$(sinks sink.raw other.raw | sed 's/"out"/"other"/')"
pair 'positions' "$(echo "$beams" | sed 's/"weights": "w.npy"/"positions": "pos.npy", "directions": [[0, 90]]/')" "$(sinks sink.raw pos.npy)"
pair 'coefficients' "$fir" "$(sinks sink.raw taps.npy)"
pair 'a parameter set' "$sky" "$(sinks sink.raw stations.parset)"
pair 'the pipeline itself' "$raw_source" "$(sinks sink.raw p.json)"
pair 'the pipeline as a description' "$raw_source" "$(sinks sink.npy p)"
pair 'two sinks' "$raw_source" "$(sinks sink.raw o.raw), $(sinks sink.raw ./o.raw | sed 's/"out"/"two"/')"
pair 'two sinks through a link to nothing' "$raw_source" "$(sinks sink.raw nothing-yet), $(sinks sink.npy links/dangling | sed 's/"out"/"two"/')"
pair 'two descriptions' "$raw_source" "$(sinks sink.raw o.raw), $(sinks sink.raw o.raw.json | sed 's/"out"/"two"/')"
pair 'two trials of one name' "${series_source/\[0, 10\]/[1, 1.0001]}" "$(sinks sink.sigproc twice.tim)"
pair 'candidates and their picture' "$series_source" "$(sinks sink.candidates c.json ', "picture": "c.json"')"
pair 'a picture over a source' "$series_source" "$(sinks sink.candidates c.json ', "picture": "a_DM0.000.tim"')"
extra='--dump v.Y=v.raw'
pair 'a dump over a source' "$raw_source" "$(sinks sink.raw o.raw)" run
extra='--dump v.Y=o.raw.json'
pair "a dump over a sink's description" "$raw_source" "$(sinks sink.raw o.raw)" run
extra='--save v.raw'
pair 'a saved plan over a source' "$raw_source" "$(sinks sink.raw o.raw)" explain
extra='--save w.json'
pair 'a saved plan over the description of weights' "$beams" "$(sinks sink.raw o.raw)" explain
extra='--save p.json'
pair 'a saved plan over its pipeline' "$raw_source" "$(sinks sink.raw o.raw)" explain
"$CORNERTURN" explain p.json --save plan.json >log 2>&1 || fail "$(cat log)"
extra='--plan plan.json'
pair 'the plan that is used' "$raw_source" "$(sinks sink.raw plan.json)" run
extra='--device 0 --set v.file=o.raw'
cp v.raw o.raw
pair 'a setting on the command line' "$raw_source" "$(sinks sink.raw o.raw)" run

# What is not meant by it: a device, and names that are only read.
extra=
echo "{ \"cornerturn\": 1, \"nodes\": { $raw_source, $(sinks sink.raw /dev/null), $(sinks sink.npy /dev/null | sed 's/"out"/"two"/'),
    \"u\": { \"stage\": \"source.raw\", \"file\": \"v.raw\", $raw } } }" >p.json
"$CORNERTURN" validate p.json >log 2>&1 || fail "$(cat log)"
# A pipeline may have the name of its data, and of what it writes.
for name in n q; do
    echo "{ \"cornerturn\": 1, \"nodes\": { $npy_source, $(sinks sink.npy q.npy) } }" >$name.json
    cp $name.json kept
    rm -f q.npy q.npy.json
    "$CORNERTURN" run $name.json >log 2>&1 || fail "$name.json: $(cat log)"
    cmp -s n.npy q.npy && cmp -s n.npy.json q.npy.json && cmp -s $name.json kept || fail "$name.json and its data: $(ls; cat log)"
done
rm n.npy.json
"$CORNERTURN" run n.json >log 2>&1
[ $? = 3 ] && grep -q 'expected "dims" such as "SPT", found them neither here nor in n.npy.json$' log || fail "a pipeline is no description: $(cat log)"
echo "$pairs pairs, $failed failed"
[ "$failed" -eq 0 ]
