#!/usr/bin/env bash
# outputs_test.sh: what stands where a run writes: neighbours stay as they are, links are followed, modes
# are kept, pipes are written as they come, and two runs never mix in one file. PAIRS=100 tries as
# many pairs of runs.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder
# hidden: temporary names and lock files
hidden() { find . -name '.cornerturn*' | wc -l; }

# pipeline NAME FILE STAGE [MORE]: writes NAME.run
pipeline()
{
    cat >"$1.run" <<END
{ "cornerturn": 1, "block": { "T": 512 }, "nodes": {
  "v": { "stage": "source.raw", "file": "$work/$1.in", "dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "out": { "stage": "$3", "input": "v", "file": "$2"${4:-} } } }
END
}

head -c 240000 /dev/urandom >a.in
head -c 240000 /dev/urandom >b.in
mkdir out

# A neighbour that looks like a temporary file is somebody's.
pipeline a out/x.npy sink.npy
for name in x.npy.partial x.npy.part .x.npy.part x.npy.tmp; do echo mine >"out/$name"; done
"$CORNERTURN" run a.run 2>log || fail 'a run' "$(cat log)"
for name in x.npy.partial x.npy.part .x.npy.part x.npy.tmp; do
    [ "$(cat "out/$name")" = mine ] || fail "$name was not ours to write"
done
cp out/x.npy whole.npy

# Links and modes.
mkdir far
ln -s ../far/y.npy out/y.npy
pipeline a out/y.npy sink.npy
(umask 026; "$CORNERTURN" run a.run 2>log) || fail 'a run through a link' "$(cat log)"
[ -L out/y.npy ] && cmp -s far/y.npy whole.npy || fail 'a link is followed'
[ "$(stat -c %a far/y.npy)" = 640 ] || fail "a new file has what the mask leaves"
chmod 604 far/y.npy
"$CORNERTURN" run a.run 2>log || fail 'a second run through a link' "$(cat log)"
[ "$(stat -c %a far/y.npy)" = 604 ] || fail "a file's mode is kept"

# Pipes, in order; and a named pipe.
for stage in sink.npy sink.raw sink.lofar; do
    pipeline a "out/z" "$stage" ', "layout": "TSP"'
    [ "$stage" = sink.lofar ] && sed -i 's/, "layout": "TSP"//; s/"S": 3/"S": 1/' a.run
    "$CORNERTURN" run a.run 2>log || fail "$stage to a file" "$(cat log)"
    sed 's|out/z|/dev/stdout|' a.run >pipe.run
    "$CORNERTURN" run pipe.run 2>log | cmp - out/z || fail "$stage to a pipe" "$(cat log)"
    { printf first; "$CORNERTURN" run pipe.run 2>log; } >redirected
    cmp <(printf first; cat out/z) redirected || fail "$stage behind what stands there"
    mkfifo fifo
    sed 's|out/z|fifo|' a.run >pipe.run
    timeout 20 cat fifo >read &
    timeout 20 "$CORNERTURN" run pipe.run 2>log || fail "$stage to a named pipe" "$(cat log)"
    wait $!
    cmp read out/z || fail "$stage through a named pipe"
    rm fifo
done
pipeline a /dev/stdout sink.npy ', "layout": "SPT"'
"$CORNERTURN" run a.run 2>log >read
[ $? = 3 ] && grep -q 'is a pipe' log || fail 'T in the middle goes to no pipe' "$(cat log)"
pipeline a /dev/stdout sink.raw ', "layout": "TSP"'
timeout 20 "$CORNERTURN" run a.run 2>log | head -c 100 >read
[ "${PIPESTATUS[0]}" = 5 ] && grep -q 'Broken pipe' log || fail 'a reader that leaves' "$(cat log)"

# Two runs into one file: one of them is whole, or both one after the other.
for name in a b; do
    pipeline "$name" out/x.npy sink.npy
    "$CORNERTURN" run "$name.run" 2>log || fail "run $name" "$(cat log)"
    cp out/x.npy "$name.npy"
done
refused=0
for pair in $(seq "${PAIRS:-6}"); do
    "$CORNERTURN" run a.run 2>log.a & one=$!
    "$CORNERTURN" run b.run 2>log.b; other=$?
    wait "$one"; one=$?
    cmp -s out/x.npy a.npy || cmp -s out/x.npy b.npy || fail "pair $pair mixed"
    for code in "$one" "$other"; do
        case $code in
        0) ;;
        5) refused=$((refused + 1)) ;;
        *) fail "pair $pair: exit $code" "$(cat log.a log.b)" ;;
        esac
    done
    [ "$one" = 0 ] || grep -q 'another run is writing it' log.a || fail "$(cat log.a)"
    [ "$other" = 0 ] || grep -q 'another run is writing it' log.b || fail "$(cat log.b)"
    [ "$one" = 0 ] || [ "$other" = 0 ] || fail "pair $pair: neither wrote"
done
# A name of another time and place: valid JSON, and nothing that moves the reader's cursor.
"$CORNERTURN" simulate sky.fil samples=4096 channels=16 >log 2>&1 || fail 'a filterbank' "$(cat log)"
sed -i 's/\x0b\x00\x00\x00source_name\(.\)\x00\x00\x00..../\x0b\x00\x00\x00source_name\1\x00\x00\x00\xe9\x1b[2/' sky.fil
cat >fil.run <<END
{ "cornerturn": 1, "nodes": { "f": { "stage": "source.sigproc", "file": "sky.fil" },
  "out": { "stage": "sink.npy", "input": "f", "file": "sky.npy" } } }
END
"$CORNERTURN" run fil.run 2>log || fail 'a name in Latin-1' "$(cat log)"
grep -qF '"source_name": "\u00e9\u001b[2' sky.npy.json || fail "$(cat sky.npy.json)"
for file in sky.fil sky.npy; do
    "$CORNERTURN" info "$file" >read 2>&1 || fail "info $file" "$(cat read)"
    grep -q $'\x1b' read && fail "info $file moves the cursor"
done

# What a name holds comes back, whatever it is.
printf '{ "dims": "T", "type": "u8", "source_name": "a\\u202eb\\u0085\xc3\xa9\xe2\x82\xac\\ufeff" }' >odd.raw.json
printf 0123456789 >odd.raw
for name in odd again; do
    printf '{ "cornerturn": 1, "nodes": { "a": { "stage": "source.raw", "file": "%s.raw" },
        "b": { "stage": "sink.raw", "input": "a", "file": "next-%s.raw" } } }' $name $name >odd.run
    "$CORNERTURN" run odd.run 2>log || fail 'odd names' "$(cat log)"
    mv next-$name.raw again.raw
    mv next-$name.raw.json again.raw.json
    grep -qF "$(printf '"a\\u202eb\\u0085\xc3\xa9\xe2\x82\xac\\ufeff"')" again.raw.json || fail "$(cat again.raw.json)"
done

# Nor do names of files, wherever they are said.
cp fil.run $'fil\e[2J.run'
{ "$CORNERTURN" validate $'fil\e[2J.run' && "$CORNERTURN" explain $'fil\e[2J.run'; } >read 2>&1 || fail 'names' "$(cat read)"
"$CORNERTURN" simulate $'sky\e[2J.fil' samples=4096 channels=16 >>read 2>&1
grep -qF 'x1b[2J.fil'\'' is no file name' read || fail "$(tail -n 1 read)"
grep -q $'\x1b' read && fail "the name of a file moves the cursor"

[ "$(hidden)" = 0 ] || fail "left behind: $(find . -name '.cornerturn*')"
echo "${PAIRS:-6} pairs, $refused refused, $failed failed"
[ "$failed" -eq 0 ]
