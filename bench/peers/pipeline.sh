#!/usr/bin/env bash
# pipeline.sh: whole pipelines beside the same written by hand (peer_pipeline.c), processes of both in turns.
#
#   bench/peers/pipeline.sh [--plan PLAN].. [--peer "PROGRAM NAME"].. [--turns N] PIPELINE.json
#
# Plans as of `cornerturn bench PIPELINE --plan`: default, stored, or a file. A turn is one process of
# each, whose median counts; what is printed are medians over turns, and of the peers the median of its
# time over ours in the same turn. CORNERTURN names the command (build/cornerturn). On a quiet machine.
set -euo pipefail
fail() { echo "pipeline.sh: $1" >&2; exit 2; }

plans=() peers=() turns=7 pipeline=''
while [ $# -gt 0 ]; do
    case $1 in
        --plan | --peer | --turns) [ $# -gt 1 ] || fail "$1: a value is missing" ;;
    esac
    case $1 in
        --plan) plans+=("$2"); shift 2 ;;
        --peer) peers+=("$2"); shift 2 ;;
        --turns) turns=$2; shift 2 ;;
        *.json) pipeline=$1; shift ;;
        *) fail "no option $1; the head of this script lists them" ;;
    esac
done
[ -n "$pipeline" ] || fail 'which pipeline?'
[ -f "$pipeline" ] || fail "no file $pipeline"
[[ $turns =~ ^[1-9][0-9]*$ ]] || fail "--turns: expected a number above 0, found $turns"
[ ${#plans[@]} -gt 0 ] || plans=(default)
cornerturn=${CORNERTURN:-"$(dirname "${BASH_SOURCE[0]}")/../../build/cornerturn"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# median FILE COLUMN
median() { cut -d' ' -f"$2" "$1" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# A line a turn: seconds of each plan, then of each peer.
for ((turn = 0; turn < turns; turn++)); do
    line=()
    for plan in "${plans[@]}"; do
        "$cornerturn" bench "$pipeline" --plan "$plan" --rounds 9 --processes 1 --json "$work/ours" >/dev/null
        line+=("$(grep -oE '"seconds": [0-9.e-]+' "$work/ours" | head -n 1 | cut -d' ' -f2)")
    done
    for peer in "${peers[@]}"; do
        # shellcheck disable=SC2086
        { yes go || true; } | head -n 9 | $peer | tail -n +2 >"$work/peer"
        line+=("$(median "$work/peer" 1)")
    done
    echo "${line[*]}" >>"$work/turns"
done

printf '| | ms | its time over ours |\n|---|---:|---:|\n'
for ((i = 0; i < ${#plans[@]}; i++)); do
    printf '| plan %s | %.1f | |\n' "${plans[i]##*/}" "$(median "$work/turns" $((i + 1)) | awk '{ print 1e3 * $1 }')"
done
for ((k = 0; k < ${#peers[@]}; k++)); do
    at=$((${#plans[@]} + k + 1)) over=''
    for ((i = 0; i < ${#plans[@]}; i++)); do
        awk -v a="$at" -v b=$((i + 1)) '{ print $a / $b }' "$work/turns" >"$work/ratios"
        over+=" $(printf '%.2f' "$(median "$work/ratios" 1)")"
    done
    printf '| %s | %.1f |%s |\n' "${peers[k]##*/}" "$(median "$work/turns" "$at" | awk '{ print 1e3 * $1 }')" "$over"
done
