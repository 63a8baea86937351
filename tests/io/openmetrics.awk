# openmetrics.awk: a strict reader of OpenMetrics text 1.0, of counters and gauges: says what is wrong,
# with its line, and ends with 1; else it prints each sample, "NAME LABELS VALUE", sorted by nothing.
# What it holds: every line ends with a line feed and is a descriptor or a sample; "# EOF" is the last one
# and there once; a family's lines stand together, TYPE, UNIT and HELP once and before its samples; a unit
# ends the name; a counter's samples end with _total and are not below 0, a gauge's have the family's name;
# labels are quoted and escaped, each once; no two samples are alike.
function bad(why) { print FILENAME ":" FNR ": " why ": " $0; wrong = 1; exit 1 }
function family_begin(name)
{
    if (name == family) return
    if (name in seen) bad("the family " name " stands in two places")
    seen[family = name] = 1
    type = unit = help = ""
    samples = 0
}
BEGIN { name_pattern = "^[a-zA-Z_:][a-zA-Z0-9_:]*$" }
ended { bad("behind # EOF") }
/^# EOF$/ { ended = 1; next }
/^# (TYPE|UNIT|HELP) / {
    word = $2
    rest = substr($0, 8)
    at = index(rest, " ")
    if (!at) bad("nothing is said")
    name = substr(rest, 1, at - 1)
    text = substr(rest, at + 1)
    if (name !~ name_pattern) bad("no name")
    family_begin(name)
    if (samples) bad("a descriptor behind a sample")
    if (word == "TYPE") {
        if (type != "") bad("a second TYPE")
        if (text !~ /^(counter|gauge)$/) bad("no type that is expected")
        type = text
    } else if (word == "UNIT") {
        if (unit != "") bad("a second UNIT")
        if (name !~ ("_" text "$")) bad("the name does not end with the unit")
        unit = text
    } else {
        if (help != "") bad("a second HELP")
        gsub(/\\[\\n"]/, "", text)
        if (text ~ /[\\"]/) bad("not escaped")
        help = "said"
    }
    next
}
/^#/ { bad("no descriptor") }
{
    at = match($0, /[{ ]/)
    if (!at) bad("no value")
    name = substr($0, 1, at - 1)
    rest = substr($0, at)
    if (name !~ name_pattern) bad("no name")
    of = name
    if (type == "counter" && !sub(/_total$/, "", of)) bad("a counter without _total")
    if (type == "" || of != family) bad("a sample outside its family")
    labels = ""
    split("", label)
    if (substr(rest, 1, 1) == "{") {
        rest = substr(rest, 2)
        while (substr(rest, 1, 1) != "}") {
            if (!match(rest, /^[a-zA-Z_][a-zA-Z0-9_]*="/)) bad("no label")
            key = substr(rest, 1, RLENGTH - 2)
            if (key in label) bad("a label twice")
            rest = substr(rest, RLENGTH + 1)
            if (!match(rest, /^([^\\"]|\\\\|\\"|\\n)*"/)) bad("a label's value")
            label[key] = 1
            labels = labels (labels == "" ? "" : ",") key "=" substr(rest, 1, RLENGTH - 1)
            rest = substr(rest, RLENGTH + 1)
            if (substr(rest, 1, 1) == ",") {
                rest = substr(rest, 2)
                if (substr(rest, 1, 1) == "}") bad("a comma without a label")
            } else if (substr(rest, 1, 1) != "}") bad("no end of labels")
        }
        rest = substr(rest, 2)
    }
    if (rest !~ /^ [+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/) bad("no number")
    if (type == "counter" && rest + 0 < 0) bad("a counter below 0")
    if ((name, labels) in known) bad("a sample twice")
    known[name, labels] = 1
    samples++
    print name, labels, rest + 0
}
END { if (!wrong && !ended) { print FILENAME ": ends without # EOF"; exit 1 } }
