#!/usr/bin/env bash
# plan_test.sh BUILD: a plan of ranks, saved, edited and run, gives byte for byte what one process
# gives; so does a plan of one process. Plans that differ between ranks are noticed before the first
# block, one of another number of ranks is refused, once. Skipped without mpirun.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=${1:-build}
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"

# Five stations, so that no number of ranks divides them.
cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 2048 },
  "nodes": {
    "sky": { "stage": "source.simulate", "stations": 5, "samples": 6144, "seed": 3, "layout": "SPT" },
    "fir": { "stage": "fir", "input": "sky", "channels": 16, "taps": 4 },
    "fft": { "stage": "fft", "input": "fir", "fuse": false },
    "vis": { "stage": "correlator", "input": "fft", "integrate": 32 },
    "a": { "stage": "sink.npy", "input": "fft", "file": "out/fft.npy" },
    "b": { "stage": "sink.npy", "input": "vis", "file": "out/vis.npy" } } }
END
mkdir out one
"$CORNERTURN" run p.json --quiet || exit 1
mv out/* one/

same() { # NAME
    local file
    for file in one/*.npy; do cmp -s "$file" "out/${file#one/}" || fail "$1: ${file#one/} is another"; done
    rm -f out/*
}
runs() { # NAME N ARGUMENTS..
    local name=$1 n=$2
    shift 2
    ranks "$n" "$CORNERTURN" run p.json --quiet "$@" 2>err || { fail "$name"; cat err; }
    same "$name"
}

"$CORNERTURN" explain p.json --ranks 3 --save rule.json >/dev/null || exit 1
"$CORNERTURN" explain p.json --ranks 3 --plan rule.json --save again.json >/dev/null
cmp rule.json again.json || fail "a plan of ranks that is loaded and saved is another"

# Splits that the rule would not take, for three and for a grid of four, without the
# tunables that were for the rule's; a transpose where parts stay.
split() { echo "/\"$1\": {/,/^    }/ s/\"split\": \"[A-Z]*\"/\"split\": \"$2\"/"; }
sed "$(split sky P); $(split fir S); $(split fft '')" rule.json | sed -z 's/,\n *"tunables": {[^}]*}//g' >other.json
[ "$(grep -o '"split": "[A-Z]*"' other.json | head -n 4 | tr -d '\n')" = '"split": "P""split": "S""split": """split": "C"' ] ||
    fail "the plan was not edited"
runs "splits of a plan" 3 --plan other.json
"$CORNERTURN" explain p.json --ranks S=2,P=2 --save rule4.json >/dev/null
grep -q '"grid": "S=2,P=2"' rule4.json || fail "the grid is not in the plan"
sed '/"fft": {/,/^    }/ s/"split": "SP"/"split": "PS"/; /"vis": {/,/^    }/ s/"X": "CTSP"/"X": "TCSP"/' rule4.json >grid.json
cmp -s rule4.json grid.json && fail "nothing was edited"
runs "a grid" 4 --plan grid.json

# Of one process: layouts and tunables, with splits as without a plan.
"$CORNERTURN" explain p.json --save one.json >/dev/null
sed -i '/"vis": {/,/^    }/ s/"X": "CTSP"/"X": "TCSP"/' one.json
"$CORNERTURN" explain p.json --plan one.json --save whole.json >/dev/null || fail "the plan of one process"
grep -q '"transposes"' whole.json || fail "the plan of one process has no transpose"
runs "a plan of one process" 3 --plan whole.json

# N CODE SENTENCE ARGUMENTS..
wrong() {
    local n=$1 code=$2 sentence=$3 found
    shift 3
    ranks "$n" "$@" >/dev/null 2>err
    found=$?
    [ $found = "$code" ] || { fail "'$sentence': expected exit code $code, found $found"; cat err; }
    [ "$(grep -c -- "$sentence" err)" = 1 ] || { fail "'$sentence' is not said once"; cat err; }
    [ -z "$(ls -A out)" ] || fail "'$sentence': $(ls -A out) is left"
}
wrong 2 3 "planned for 3 ranks, and here are 2" "$CORNERTURN" run p.json --plan rule.json
export XDG_DATA_HOME=$PWD/data
wrong 2 3 "no plan is stored for it on this device" "$CORNERTURN" run p.json --plan stored
wrong 2 5 "nowhere.json" "$CORNERTURN" run p.json --plan nowhere.json
each() { echo "exec \"$CORNERTURN\" run p.json --quiet --plan \$([ \$OMPI_COMM_WORLD_RANK = $1 ] && echo $2 || echo $3)"; }
wrong 3 3 "do not have the same plan" bash -c "$(each 1 other.json rule.json)"
wrong 3 5 "nowhere.json" bash -c "$(each 2 nowhere.json rule.json)"

# Splits that tune has chosen, on top of what it has measured on one; other tunables may round otherwise.
"$CORNERTURN" tune p.json -o tuned.json --budget 4 --ranks 3 --network 100Gb/s,2us 2>err || { fail "tune over ranks"; cat err; }
grep -q '^foretold over ranks: .* s per block' err || { fail "tune does not say what is foretold"; cat err; }
grep -q '"split": "' tuned.json || fail "tune chooses no splits"
ranks 3 "$CORNERTURN" run p.json --quiet --plan tuned.json || fail "a plan that was tuned for ranks"
sed -z 's/,\n *"tunables": {[^}]*}//g' tuned.json >usual.json
runs "splits of a tuned plan" 3 --plan usual.json
wrong 2 3 "planned for 3 ranks, and here are 2" "$CORNERTURN" run p.json --plan tuned.json

# A search that comes to its end is stored, for these ranks; each number of ranks finds its own.
cat >q.json <<'END'
{ "cornerturn": 1, "block": { "T": 256 },
  "nodes": {
    "sky": { "stage": "source.simulate", "stations": 5, "samples": 512, "seed": 3, "layout": "SPT" },
    "fir": { "stage": "fir", "input": "sky", "channels": 4, "taps": 2 },
    "a": { "stage": "sink.npy", "input": "fir", "file": "out/fir.npy" } } }
END
"$CORNERTURN" tune q.json -o s.json --only a --memory 100000000 --ranks 3 --network 100Gb/s,2us 2>err || { fail "tune to the store"; cat err; }
grep -q '"complete":true' s.json || fail "the search did not come to its end"
taken() { # N PATTERN: of what is said of stored plans
    ranks "$1" "$CORNERTURN" run q.json 2>err || { fail "$1 ranks with stored plans"; cat err; }
    [ "$(grep -c 'stored plan' err)" = "$(echo "$2" | grep -c .)" ] && grep -q -- "$2" err || { fail "stored plans of $1 ranks"; cat err; }
}
taken 3 "the stored plan $XDG_DATA_HOME/cornerturn/plans/.*-3.json"
taken 1 "the stored plan $XDG_DATA_HOME/cornerturn/plans/.*"
grep -q -- '-3.json' err && fail "one rank takes the plan of three"
taken 2 ""
sed -i 's/"driver": "[^"]*"/"driver": "another"/' data/cornerturn/plans/*-3.json
taken 3 'a stored plan is not used: .*-3.json: .*its driver is "another"'
rm -f out/*
[ $failed -eq 0 ] && echo "ranks_plan: all as one"
exit $((failed > 0))
