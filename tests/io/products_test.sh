#!/usr/bin/env bash
# products_test.sh: what is along Q keeps its name from any source through stages to any sink, and its numbers
# as they are; what is not known stays unknown.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

head -c $((64 * 4 * 3 * 4)) /dev/urandom | tr '\377\177' '\100\100' >in.raw # 64 samples, Q 4, C 3; finite

# copy KEYS SINK FILE: in.raw through a pipeline, whose warnings go to `log`
copy()
{
    cat >p.json <<END
{ "cornerturn": 1, "block": { "T": 16 }, "nodes": {
  "v": { "stage": "source.raw", "file": "in.raw", "dims": "TQC", "type": "f32", "sizes": { "Q": 4, "C": 3 },
         "sample_time_s": 1e-3, "frequency_hz": [1402e6, 1401e6, 1400e6], "channel_width_hz": 1e6 $1 },
  "out": { "stage": "$2", "input": "v", "file": "$3"${4:-} } } }
END
    "$CORNERTURN" run p.json >out.log 2>log || fail "copy to $2" "$(cat log)"
}

# has FILE TEXT; lacks FILE TEXT
has() { grep -qaF -- "$2" "$1" || fail "$1: expected $2, found" "$(head -c 600 "$1" | strings)"; }
lacks() { ! grep -qaF -- "$2" "$1" || fail "$1: expected no $2"; }

# KEYS of the source, then what the JSON file and STATE have
while IFS='|' read -r keys json state; do
    copy "$keys" sink.raw out.raw ', "layout": "TQC"'
    cmp -s in.raw out.raw || fail "$keys: numbers have changed"
    [ -z "$json" ] || has out.raw.json "$json"
    [ -n "$json" ] || lacks out.raw.json products
    copy "$keys" sink.npy out.npy
    cat >q.json <<END
{ "cornerturn": 1, "nodes": { "v": { "stage": "source.npy", "file": "out.npy" },
  "out": { "stage": "sink.dada", "input": "v", "file": "out.dada" } } }
END
    "$CORNERTURN" run q.json >out.log 2>log || fail "$keys to DADA" "$(cat log)"
    has out.dada "STATE           $state"
    if [ "$state" = Detected ]; then has log Detected; else lacks log Detected; fi
done <<'END'
||Detected
, "products": "IQUV"|"products": ["I", "Q", "U", "V"]|Stokes
, "products": ["AA", "BB", "CR", "CI"], "feed": "linear"|"products": ["AA", "BB", "CR", "CI"],|Coherence
, "products": "AABBCRCI", "feed": "circular"|"feed": "circular"|Coherence
, "products": "XX XY YX YY"|"products": ["XX", "XY", "YX", "YY"]|Detected
, "products": "VUQI"|"products": ["V", "U", "Q", "I"]|Detected
END

# DADA back again, and a filterbank, which says nothing: the node does
copy ', "products": "AABBCRCI"' sink.dada a.dada
copy ', "products": "AABBCRCI"' sink.sigproc a.fil
for source in '"stage": "source.dada", "files": "a.dada"' \
    '"stage": "source.sigproc", "file": "a.fil", "products": "AABBCRCI"'; do
    cat >q.json <<END
{ "cornerturn": 1, "nodes": { "v": { $source }, "out": { "stage": "sink.npy", "input": "v", "file": "b.npy" } } }
END
    "$CORNERTURN" run q.json >out.log 2>log || fail "$source" "$(cat log)"
    has b.npy.json '"products": ["AA", "BB", "CR", "CI"]'
    "$CORNERTURN" explain q.json >explain.txt 2>log
    has explain.txt 'AA BB CR CI'
    "$CORNERTURN" explain q.json --json >explain.txt 2>log
    has explain.txt '"CR"'
done

# Stages say what they make.
head -c 4096 /dev/urandom >volts.raw
while IFS='|' read -r keys stage names; do
    cat >q.json <<END
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.raw", "file": "volts.raw", "dims": "TSCP", "type": "ci8", "sizes": { "S": 2, "C": 2, "P": 2 } $keys },
  "made": { $stage, "input": "v" },
  "out": { "stage": "sink.npy", "input": "made", "file": "made.npy" },
  "counts": { "stage": "sink.npy", "input": "made.COUNTS", "file": "counts.npy" } } }
END
    "$CORNERTURN" run q.json >out.log 2>log || fail "$stage" "$(cat log)"
    has made.npy.json "$names"
    has counts.npy.json u32
    lacks counts.npy.json products
    lacks counts.npy.json feed
done <<'END'
|"stage": "detect", "stokes": "IQUV"|"products": ["I", "Q", "U", "V"]
|"stage": "detect"|"products": ["I"]
|"stage": "correlator", "integrate": 4|"products": ["XX", "XY", "YX", "YY"]
, "feed": "circular"|"stage": "correlator", "integrate": 4|"products": ["RR", "RL", "LR", "LL"]
, "feed": "circular"|"stage": "detect"|"products": ["I"]
END

# Power of two receptors becomes total intensity, a filterbank of one IF: AA = 1 2 3 .., BB = 100.
for t in 1 2 3 4 5 6 7 8; do
    for v in $t $((t + 8)) 100 100; do printf "\\x$(printf %02x "$v")"; done
done >aabb.raw
cat >sum.json <<END
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.raw", "file": "aabb.raw", "dims": "TQC", "type": "u8", "sizes": { "Q": 2, "C": 2 },
         "sample_time_s": 1e-3, "frequency_hz": [1401e6, 1400e6], "products": "AABB" },
  "i": { "stage": "products", "input": "v", "products": "I" },
  "out": { "stage": "sink.raw", "input": "i", "file": "i.raw", "layout": "TC" },
  "fil": { "stage": "sink.sigproc", "input": "i", "file": "i.fil" },
  "both": { "stage": "sink.sigproc", "input": "v", "file": "both.fil" } } }
END
"$CORNERTURN" run sum.json >out.log 2>log || fail 'total intensity' "$(cat log)"
has log 'nodes/both: SIGPROC does not say what its IFs are'
lacks log nodes/fil
has i.raw.json '"products": ["I"]'
found=$(od -An -v -w8 -f i.raw | awk '{ printf "%d %d,", $1, $2 }')
[ "$found" = '101 109,102 110,103 111,104 112,105 113,106 114,107 115,108 116,' ] || fail "sums $found"
"$CORNERTURN" info i.fil | grep -q 'Q 1, C 2' || fail "i.fil: $("$CORNERTURN" info i.fil)"
exit "$failed"
