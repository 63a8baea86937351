#!/usr/bin/env bash
# report_test.sh: `report` as a person uses it, without a device: a search on made-up costs, some of whose
# cells cannot be built, and what becomes of its journal: a page that has all of it as JSON, a
# row for every measurement, costs that lead to the same plan again, files of other tuners that are JSON and
# hold every candidate. A journal that is damaged, or sealed but wrong, is refused, and nothing is written.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
verb=report
. "$(dirname "${BASH_SOURCE[0]}")/costs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C

# is_json FILE: by the command's own parser: a pipeline that is JSON is refused for another reason.
is_json()
{
    grep -q 'missing "cornerturn"' <("$CORNERTURN" validate "$1" 2>&1) || fail "$1 is no JSON: $("$CORNERTURN" validate "$1" 2>&1)"
    ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" || fail "$1 is no JSON"
}
# balanced FILE: every tag is closed by its own name.
balanced()
{
    tr '\n' ' ' <"$1" | sed 's/<style>.*<\/style>//; s/<script>.*<\/script>//' | grep -oE '<[^>]*>' | awk '
        /^<!/ || /\/>$/ { next }
        /^<\// { name = substr($0, 3, length($0) - 3); if (open[n] != name) { print "found </" name "> in <" open[n] ">"; exit }
                 n--; next }
        { name = $1; gsub(/[<>]/, "", name); open[++n] = name }
        END { if (n > 0) print "<" open[n] "> is not closed" }'
}
# page FILE: it needs nothing else, its tags are balanced, and what it draws is JSON, which goes to FILE.json. Where a
# browser is there, it draws the page, into FILE.drawn.
page()
{
    local found
    found=$(balanced "$1")
    [ -z "$found" ] || fail "$1: $found"
    ! command -v xmllint >/dev/null || sed 1d "$1" | xmllint --noout - || fail "$1 is not well-formed"
    grep -qE '(src|href)=|@import|https?:' "$1" && fail "$1 needs something else"
    [ "$(grep -o '</script' "$1" | wc -l)" = 2 ] || fail "$1: a text of the journal ends a script"
    sed -n '/^<script type="application\/json"/,/^<\/script>/p' "$1" | sed '1d;$d' >"$1.json"
    grep -q . "$1.json" || fail "$1 has no journal in it"
    is_json "$1.json"
    ! command -v chromium >/dev/null ||
        timeout 60 chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/$1" >"$1.drawn" 2>/dev/null ||
        rm -f "$1.drawn"
}
# has FILE TEXT..
has()
{
    local file=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || fail "$file lacks $text"
    done
}
# drawn PAGE TEXT..: where a browser has drawn it.
drawn() { [ ! -s "$1.drawn" ] || has "$1.drawn" "${@:2}"; }
layouts() { grep '"layouts"' "$1"; }
# seal: the line that is read, with its checksum (gzip ends with that and the length).
seal()
{
    local line
    read -r line
    line=${line%\}}
    printf '%s,"crc":"%s"}\n' "$line" "$(printf '%s' "$line" | gzip -c | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' ')"
}

cat >p.json <<'TEXT'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": 4096 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "f<&,t": { "stage": "fft", "input": "fir", "fuse": false },
  "out": { "stage": "sink.npy", "input": "f<&,t", "file": "spectra.npy" } } }
TEXT
costs 'f<&,t' gaps >costs.json

"$CORNERTURN" tune p.json -o a.json --simulate costs.json 2>log || fail "a search: $(cat log)"
journal=a.json.journal
measured=$(grep -cE '^\{"(cell|transpose)"' $journal)
candidates=$(grep -E '^\{"(cell|transpose)"' $journal | grep -o '^.*"tunables":{[^}]*}' | sort -u | wc -l)
wrong=$(grep -c '"status":"compile"' $journal)
[ "$measured" -gt 50 ] && [ "$wrong" -gt 0 ] || fail "$measured measurements, $wrong of which went wrong, are no test"
"$CORNERTURN" report $journal -o a.html --csv a.csv --costs a.costs --kernel-tuner caches --t4 a.t4 2>log || fail "report: $(cat log)"

# ---- the page
page a.html
has a.html.json '"name": "fir"' '"name": "f\u003c\u0026,t"' '"default_layouts": "SPT\u003e' '"status": "compile"' \
    '"distance": ' '"bound_s": 0.' '"deviation": ' '"settings": ""' '"end": {"complete": true, "plan": "fir SPT' \
    "\"candidates\": $candidates, \"measurements\": $measured, \"wrong\": $wrong,"
[ "$(grep -c '"line": ' a.html.json)" = "$candidates" ] || fail "a.html lacks some of $candidates candidates"
drawn a.html '<h3>fir<' '<h3>f&lt;&amp;,t<' 'class="frame"' '>at best<' 'class="none"' '<h2>Transposes<' 'class="mark"' \
    "$measured measurements" standard 'the plan that was chosen: fir SPT'

# ---- its tables in Markdown: the same counts, and what the end chose
"$CORNERTURN" report $journal --md a.md 2>log || fail "report --md: $(cat log)"
for line in "^$candidates candidates, $wrong of them not usable; " 'Chosen, with 0\.[0-9]* of the default.s time: fir SPT>' \
    '^\| 2 \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' '^\| f<&,t \| [0-9]+ \| 0\.[0-9]+ \|( [0-9.]+ \|){6}$'; do
    grep -qE "$line" a.md || fail "a.md lacks $line"
done

# ---- sums of steps: half of fir's second, 0.8 of the transform's, and a transpose of 0.1 s, of two seconds
{ head -n 1 $journal; while read -r line; do seal <<<"$line"; done; } >sums.journal <<'TEXT'
{"whole":{"plan":"default","seconds":[2.2],"steps":{"fir":1,"fft":1,"out":0}}}
{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"correct","seconds":[3],"default_seconds":[3]}
{"cell":"fir","at":"SPT>SPCT","tunables":{},"status":"correct","seconds":[2],"default_seconds":[4]}
{"cell":"fft","at":"SPCT>SPTC","tunables":{},"status":"correct","seconds":[8],"default_seconds":[5]}
{"cell":"fft","at":"SPCT>SPTC","tunables":{"WG":2},"status":"correct","seconds":[4],"default_seconds":[5]}
{"transpose":"fft","at":"SPTC>CTPS","tunables":{},"status":"correct","seconds":[0.1],"default_seconds":[0.05]}
{"transpose":"fft","at":"STPC>CTPS","tunables":{},"status":"correct","seconds":[0.3],"default_seconds":[0.05]}
{"whole":{"plan":"fir SPT>SPCT, fft SPCT>SPTC","seconds":[1.76],"steps":{"fir":0.6,"fft":0.9,"fft>CTPS":0.2,"out":0}}}
{"whole":{"plan":"fir SPT>TSPC, fft TSPC>SPTC","seconds":[1.1],"steps":{"fir":0.6,"fft":0.9,"out":0}}}
{"end":{"complete":true,"ratio":0.8,"plan":"fir SPT>SPCT, fft SPCT>SPTC"}}
TEXT
"$CORNERTURN" report sums.journal --md sums.md -o sums.html 2>log || fail "report --md: $(cat log)"
for line in '| fir SPT>SPCT, fft SPCT>SPTC | 0.700 | 0.800 | 1 |' 'Foretold is off by 12.5 % in the median.' \
    'Chosen, with 0.800 of the default'"'"'s time: fir SPT>SPCT, fft SPCT>SPTC.' '| 8 | 1 | 2.00 | 2.00 | 2.00 |' '| 6 | 1 | 6.00 | 6.00 | 6.00 |'; do
    grep -qF -- "$line" sums.md || fail "sums.md lacks $line: $(cat sums.md)"
done
[ "$(grep -c 'TSPC' sums.md)" = 0 ] || fail 'a plan whose steps were not measured is foretold'
page sums.html
has sums.html.json '"plan": "fir SPT\u003eSPCT, fft SPCT\u003eSPTC", "ratio": 0.7' '"blocks": 1, "predicted": 0.7'
drawn sums.html '0.700 predicted, 0.800 measured' '<td>0.700</td><td>0.800</td><td>1</td>' '<td>8</td><td>1</td><td>2.00</td>'

# ---- reading and writing apart: twice and three times, together seven and a half; and a cross, which tells nothing
{ head -n 1 $journal; while read -r line; do seal <<<"$line"; done; } >apart.journal <<'TEXT'
{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"correct","seconds":[4],"default_seconds":[4],"disturbed":true}
{"cell":"fir","at":"PST>SPTC","tunables":{},"status":"correct","seconds":[8],"default_seconds":[4]}
{"cell":"fir","at":"PST>SPTC","tunables":{"WG":2},"status":"correct","seconds":[1],"default_seconds":[4]}
{"cell":"fir","at":"SPT>SPCT","tunables":{},"status":"correct","seconds":[12],"default_seconds":[4]}
{"cell":"fir","at":"PST>SPCT","tunables":{},"same":"01","status":"correct","seconds":[30],"default_seconds":[4],"taken":true}
{"cell":"fir","at":"PST>SPTC","tunables":{"B":1,"A":2},"status":"correct","seconds":[1],"default_seconds":[1]}
{"cell":"fir","at":"PST>SPTC","tunables":{"A":2,"B":1},"status":"correct","seconds":[1],"default_seconds":[1]}
{"cell":"fft","at":"SPTC>SPTC","tunables":{},"status":"correct","seconds":[1],"default_seconds":[1]}
{"cell":"fft","at":"SPCT>SPTC","tunables":{},"status":"correct","seconds":[1],"default_seconds":[1]}
{"cell":"fft","at":"SPTC>SPCT","tunables":{},"status":"correct","seconds":[1],"default_seconds":[1]}
TEXT
"$CORNERTURN" report apart.journal --md apart.md -o apart.html --csv apart.csv 2>log || fail "report --md: $(cat log)"
grep -qE '^\| fir \| 4 \| 22\.5 % \| 25\.0 % \| P?S?P?T>SP[TC]+ \| SPT>SPTC \| 1\.000 \|$' apart.md || fail "apart.md: $(cat apart.md)"
grep -q '^| fft | 0 | | | | | |$' apart.md || fail "apart.md says of a cross: $(grep fft apart.md)"
page apart.html
has apart.html.json '"candidates": 9, "measurements": 9, "wrong": 0, "taken": 1, "disturbed": 1,' '"count": 4, "median": 0.22' \
    '"worst": 0.2' '"separability": {"count": 0}'
drawn apart.html '9 candidates in 9 measurements' '<td>22.5 %</td><td>25.0 %</td>' 'not known: too few' \
    'the same work as another</th><td class="words">1<' 'other work of the machine</th><td class="words">1<'

for line in 'SPT>SPTC,,correct,1,4,4,1,0,0,1,0,0.8' 'PST>SPTC,,correct,2,8,4,1,0,0,0,0,2.5' 'PST>SPTC,WG=2,correct,0.25,1,4,1,0,0,0,0,' 'PST>SPCT,,correct,7.5,30,4,1,0,0,0,1,6' 'SPTC>SPTC,,correct,1,1,1,1,0,0,0,0,'; do
    tr -d '\r' <apart.csv | grep -qE -- ",$line\$" || fail "apart.csv lacks $line: $(cat apart.csv)"
done

# ---- blocks of two lengths are compared per sample; the sentence at the beginning says by what
{ head -n 1 $journal; while read -r line; do seal <<<"$line"; done; } >blocks.journal <<'TEXT'
{"whole":{"plan":"default","seconds":[2,2,2],"samples":100,"signal_s":4,"steps":{"fir":1,"fft":1}}}
{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"correct","seconds":[4],"default_seconds":[4]}
{"cell":"fir","at":"SPT>CTSP","tunables":{"WG":2},"status":"correct","seconds":[2],"default_seconds":[4]}
{"whole":{"plan":"default","seconds":[2,2,2],"samples":100,"signal_s":4,"steps":{"fir":1,"fft":1}}}
{"whole":{"plan":"fir SPT>CTSP","seconds":[1,1,1],"samples":100,"signal_s":4,"steps":{"fir":0.6,"fir>SPTC":0.1}}}
{"whole":{"plan":"fir SPT>CTSP, block 400","seconds":[3.2,3.2,3.2],"samples":400,"signal_s":16,"steps":{"fir":2,"fir>SPTC":0.4}}}
{"end":{"complete":true,"ratio":0.4,"plan":"fir SPT>CTSP, block 400","seconds":0.8,"default_seconds":2,"samples":100,"signal_s":4,"low":0.38,"high":0.42,"block":{"samples":400,"default_samples":100,"ratio":0.8,"low":0.78,"high":0.82},"bound_seconds":0.7}}
TEXT
"$CORNERTURN" report blocks.journal -o blocks.html --md blocks.md 2>log || fail "blocks of two lengths: $(cat log)"
page blocks.html
has blocks.html.json '"summary": "The chosen plan is 2.5 times as fast as the default plan, per second of signal (2.38 to 2.63 with 95 % confidence), by layouts of fir; fusion of fft; 1 transpose more; tunables of fir; a block of 400 samples instead of 100."' \
    '"plan": "fir SPT\u003eCTSP, block 400", "ratio": 0.4, "seconds": 3.2, "samples": 400, "signal_s": 16,' \
    '"best_plan": 3,' '"next": "To use the plan: cornerturn run PIPELINE --plan blocks;'
grep -qF 'the default plan takes 0.5 of that, the chosen one 0.2 of its own' blocks.md || fail "blocks.md: $(cat blocks.md)"
drawn blocks.html '<p class="summary">The chosen plan is 2.5 times' '<h2>Blocks<' '<td>400</td><td>200</td><td>0.800</td>' '<h2>What to do next<'

# ---- names that would end a script, or the page
{ head -n 1 $journal; while read -r line; do seal <<<"$line"; done; } >names.journal <<'TEXT'
{"cell":"</script><script>alert(1)</script><!-- ]]>","at":"SPT>SPTC","tunables":{"\"<b>":"&lt;\\\u2028@JOURNAL@"},"status":"correct","seconds":[4],"default_seconds":[4]}
{"whole":{"plan":"default","seconds":[2],"steps":{"</title>":1,"9":1}}}
{"whole":{"plan":"</p><i>","seconds":[1],"steps":{"__proto__":1}}}
TEXT
"$CORNERTURN" report names.journal -o names.html 2>log || fail "a journal of odd names: $(cat log)"
page names.html
drawn names.html '<h3>&lt;/script&gt;&lt;script&gt;alert(1)' '&lt;/p&gt;&lt;i&gt;' '>__proto__<'

# ---- the table
[ "$(grep -c . a.csv)" = $((measured + 1)) ] || fail "a.csv has $(grep -c . a.csv) lines for $measured measurements"
[ "$(grep -c ',compile,' a.csv)" = "$wrong" ] || fail 'a.csv lacks what went wrong'
grep -q '^cell,"f<&,t",' a.csv || fail 'a.csv does not quote a comma'

# ---- the same search on what was measured
"$CORNERTURN" tune p.json -o b.json --simulate a.costs 2>log || fail "a search on a.costs: $(cat log)"
cmp -s <(layouts a.json) <(layouts b.json) || fail 'the costs give another plan'
grep -q '"noise": 0,' a.costs || fail "timings without noise have some in a.costs: $(head -c 80 a.costs)"
sed 's/"cornerturn_costs": 1/&, "noise": 0.03/' costs.json >noisy.json
"$CORNERTURN" tune p.json -o n.json --simulate noisy.json 2>log && "$CORNERTURN" report n.json.journal --costs n.costs ||
    fail 'a noisy search'
grep -oE '"noise": [0-9.]+' n.costs | awk '{ exit $2 > 0.02 && $2 < 0.04 ? 0 : 1 }' || fail "noise of 0.03 is estimated as $(head -c 60 n.costs)"

# ---- other tuners' files
is_json a.t4
[ "$(grep -c '"invalidity": ' a.t4)" = "$candidates" ] || fail "a.t4 lacks some of $candidates candidates"
[ "$(grep -c '"objectives": \["time"\]' a.t4)" = "$candidates" ] || fail 'a.t4: not every row has one objective'
for file in caches/*.json; do
    is_json "$file"
    [ "$(tail -c 4 "$file")" = "$(printf '}\n}\n')" ] || fail "$file does not end as Kernel Tuner's do"
done
[ "$(cat caches/*.json | grep -c '"timestamp": ')" = "$candidates" ] || fail "the caches lack some of $candidates candidates"
grep -q '"__error__": "CompilationFailedConfig", "time": "CompilationFailedConfig"' caches/*.json || fail 'a failure is not said to Kernel Tuner'

# ---- what is refused
refused 2 'where it goes is missing' $journal
refused 5 'missing.journal' missing.journal -o no.html
sed '3s/correct/cOrrect/' $journal >bad.journal
refused 5 'bad.journal:3: the line does not have its checksum' bad.journal -o no.html
printf '' >bad.journal
refused 5 'bad.journal:1: expected a journal' bad.journal -o no.html
while IFS='|' read -r pattern line; do
    { head -n 2 $journal; seal <<<"$line"; } >bad.journal
    refused 5 "bad.journal:3: $pattern" bad.journal -o no.html
done <<'TEXT'
expected "cell"|{"cel":"fir"}
/at: expected|{"cell":"fir","at":"SPT","tunables":{},"status":"correct"}
/status: expected|{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"right"}
/tunables: expected|{"cell":"fir","at":"SPT>SPTC","tunables":{"WG":[]},"status":"correct"}
/seconds: expected|{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"correct","seconds":[-1],"default_seconds":[1]}
/default_seconds: expected|{"cell":"fir","at":"SPT>SPTC","tunables":{},"status":"correct","seconds":[1],"default_seconds":[]}
/whole/seconds: expected|{"whole":{"plan":"default","seconds":[]}}
TEXT
[ ! -e no.html ] || fail 'a page was written of a journal that was refused'
refused 5 'cannot' $journal -o missing/a.html
{ head -n 1 $journal; } >short.journal
"$CORNERTURN" report short.journal -o short.html --costs short.costs --t4 short.t4 2>log || fail "nothing measured yet: $(cat log)"
page short.html
has short.html.json '"summary": "The search has no end in this journal' '"next": "The search did not come to its end: cornerturn tune PIPELINE -o short --resume'
drawn short.html 'the search was cut off' '<h2>What to do next<'
[ ! -s short.html.drawn ] || ! grep -qE '<h2>(Layouts|Candidates|How rare|Reading)' short.html.drawn || fail 'short.html has empty sections'
is_json short.t4
echo "$failed failed"
[ "$failed" -eq 0 ]
