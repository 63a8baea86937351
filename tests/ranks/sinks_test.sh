#!/usr/bin/env bash
# sinks_test.sh BUILD: files of which each rank writes its part: byte for byte what one process writes,
# whatever the runs, and nothing that looks whole where a rank fails, is interrupted, or sees another file.
# Skipped without mpirun.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=${1:-build}
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"
run() { # RANKS OPTION..
    local n=$1
    shift
    ranks "$n" "$CORNERTURN" run "$@" --quiet 2>err
}
same() { # NAME: what was just written is what one process wrote, and nothing is left beside it
    local file
    for file in one/*; do cmp -s "$file" "out/${file#one/}" || fail "$1: ${file#one/} is another"; done
    nothing "$1" "$(ls one | wc -l)"
}
nothing() { # NAME [COUNT]: no more files than so many, hidden ones too
    [ "$(ls -A out | wc -l)" -eq "${2:-0}" ] || fail "$1: left: $(ls -A out)"
    rm -rf out; mkdir out
}
mkdir out

# Long runs, as the source is split; rows as long as the stream; runs of few elements; gathered; of two
# parts only; and one that is split anew, so that its runs are long.
head -c $((100 * 5 * 2 * 512 * 8)) /dev/urandom >noise
cat >parts.json <<'END'
{ "cornerturn": 1, "block": { "T": 16 }, "nodes": {
  "sky": { "stage": "source.raw", "file": "noise", "dims": "TSPC", "type": "cf32", "sizes": { "S": 5, "P": 2, "C": 512 },
           "sample_time_s": 1e-3, "frequency_hz": FREQUENCIES, "channel_width_hz": 1e4, "layout": "TS|PC" },
  "a": { "stage": "sink.npy", "input": "sky", "file": "out/a.npy" },
  "b": { "stage": "sink.npy", "input": "sky", "file": "out/b.npy", "layout": "C|TSP" },
  "c": { "stage": "sink.raw", "input": "sky", "file": "out/c.raw", "layout": "TSPC|" },
  "d": { "stage": "sink.npy", "input": "sky", "file": "out/d.npy", "gather": true },
  "e": { "stage": "sink.raw", "input": "sky", "file": "out/e.raw", "layout": "TP|SC" },
  "f": { "stage": "sink.npy", "input": "sky", "file": "out/f.npy", "layout": "TPCS" } } }
END
frequencies=$(seq -s, 100000000 10000 105110000)
sed -i "s/FREQUENCIES/[$frequencies]/" parts.json
"$CORNERTURN" run parts.json --quiet || exit 1
mv out one; mkdir out
for n in 2 3 4 7; do
    run $n parts.json || { fail "$n ranks"; cat err; }
    same "$n ranks"
done
run 6 parts.json --ranks S=3,C=2 || { fail "a grid"; cat err; }
same "a grid"
"$CORNERTURN" explain parts.json --ranks 4 >plan.txt
grep -q '^files: each rank writes its part of a (S|), b (C|), c (C|), e (P|), f (P|); rank 0 all of d$' plan.txt ||
    fail "who writes what is not said: $(grep '^files' plan.txt)"
"$CORNERTURN" explain parts.json --ranks 4 --save plan.json >/dev/null
run 4 parts.json --plan plan.json || { fail "a plan's file"; cat err; }
same "a plan's file"

# A rank that cannot write its part: rank 1 has room for 8 MiB.
for i in 1 2 3 4 5 6 7 8; do cat noise; done >more
cat >small.sh <<'END'
trap '' XFSZ
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || ulimit -f 16384
exec "$@"
END
grep -v '"d"\|"f"' parts.json | sed 's/"noise"/"more"/; s/"TP|SC" },/"TP|SC" } } }/' >few.json
for whole in '' --whole; do
    ranks 3 bash small.sh "$CORNERTURN" run few.json --quiet $whole 2>err
    [ $? -eq 5 ] || { fail "a full disk: not exit 5"; cat err; }
    [ "$(grep -c 'cannot be written: File too large' err)" -eq 1 ] || { fail "a full disk is not said once"; cat err; }
    [ -z "$whole" ] || nothing "a full disk"
    rm -rf out; mkdir out
done

# A rank that sees another file system.
mkdir -p here/out there/out
sed "s,\"more\",\"$PWD/noise\"," few.json | tee here/few.json >there/few.json
timeout 60 mpirun --oversubscribe -n 1 -wdir "$PWD/here" "$CORNERTURN" run few.json --quiet \
    : -n 1 -wdir "$PWD/there" "$CORNERTURN" run few.json --quiet 2>err
[ $? -eq 5 ] || { fail "another file system: not exit 5"; cat err; }
[ "$(grep -c 'does not see the file that rank 0 makes' err)" -eq 1 ] || { fail "another file system is not said once"; cat err; }
[ -z "$(ls -A here/out there/out | grep -v :)" ] || fail "another file system: something is left"

# Blocks that end early; a stream of unknown length, whose rows are gathered.
"$CORNERTURN" run parts.json --quiet --blocks 3 && rm -rf one && mv out one && mkdir out
run 3 parts.json --blocks 3 || { fail "three blocks"; cat err; }
same "three blocks"
sed 's/"noise"/"noise", "follow_s": 0.2/' parts.json | grep -v '"b"' >grows.json
"$CORNERTURN" run grows.json --quiet && rm -rf one && mv out one && mkdir out
run 3 grows.json || { fail "an unknown length"; cat err; }
same "an unknown length"
"$CORNERTURN" explain grows.json --ranks 3 | grep -q 'rank 0 all of d$' || fail "rows of unknown length are not gathered"

# Interrupted: whole blocks are kept. Killed: it goes on from its journal.
sed 's/"noise"/"more"/; /"d"/d' parts.json >long.json
"$CORNERTURN" run long.json --quiet && rm -rf one && mv out one && mkdir out
start() { # OPTION..: in the background, until some blocks are done
    rm -f pid1
    ranks 3 bash -c "echo \$\$ >pid\$OMPI_COMM_WORLD_RANK; exec \"$CORNERTURN\" run long.json --quiet $*" >log 2>&1 &
    for _ in $(seq 1000); do [ "$(du -k out | cut -f1)" -gt 6000 ] && break; sleep 0.01; done
}
start
kill -INT "$(cat pid1)" || fail "the run to be interrupted had ended"
wait %%
found=$?
[ $found -eq 130 ] || { fail "interrupted: exit $found"; cat log; }
[ -s out/c.raw ] && cmp -n "$(stat -c %s out/c.raw)" out/c.raw one/c.raw || { fail "interrupted: what is kept is another"; cat log; }
nothing interrupted "$(ls one | wc -l)"
start --resume --checkpoint 0
kill -KILL "$(cat pid1)" || fail "the run to be killed had ended"
wait
[ -n "$(find out -name '*.journal')" ] || fail "a killed run has left no journal"
run 3 long.json --resume || { fail "a run that goes on"; cat err; }
grep -q "going on after block" err || fail "it began anew: $(cat err)"
same "a run that goes on"

[ $failed -eq 0 ] && echo "ranks: files in parts as one"
exit $((failed > 0))
