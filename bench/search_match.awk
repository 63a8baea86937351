# search_match.awk: which bursts were found. Reads the table of bursts that bench.search has written, then the table of
# candidates of sink.candidates. Of every candidate of S/N `threshold` and above:
#
#   found    it is of a burst: at its DM the burst is smeared by at most 4 boxes and 4 samples more than at its own, and its
#            centre is no further from the burst's than both boxes, that smear and 2 samples. A burst is found if it has one;
#            the strongest counts
#   extra    a further one of a burst; or at any DM one on its trace: from the burst's time towards later ones where its DM
#            is lower than the burst's, towards earlier ones where it is higher, by that smear at most
#   false    any other
#
# A candidate with something in a column Mark, such as "zero-dm", is `marked`, and neither found nor false.
# Prints a line of JSON; and with -v each=FILE a line for every burst: time_s,dm,box_s,snr,found,at_dm,at_s
BEGIN { FS = ","; n = 0; split("6 8 10 12 16 24 48 100 300", edge, " "); edges = 9 }
FNR == 1 { for (i = 1; i <= NF; i++) column[FILENAME == ARGV[1] ? "b" : "c", $i] = i; next }
FILENAME == ARGV[1] {
    time[n] = $column["b", "time_s"]; dm[n] = $column["b", "dm"]; box[n] = $column["b", "box_s"]
    snr[n] = $column["b", "snr"]; got[n++] = 0
    next
}
function abs(x) { return x < 0 ? -x : x }
{
    s = $column["c", "Sigma"] + 0; if (s < threshold) next
    rows++
    if (("c", "Mark") in column && $column["c", "Mark"] != "") { marked++; next }
    t = $column["c", "Time"]; d = $column["c", "DM"]; w = $column["c", "Downfact"] * dt
    mine = -1; traced = -1
    for (k = 0; k < n; k++) {
        if (abs(t - time[k]) > 3) continue
        smear = 4148.808 * abs(d - dm[k]) * (1 / (low * low) - 1 / (high * high))
        margin = box[k] + w + 2 * dt; away = t - time[k]
        if (smear <= 4 * box[k] + 4 * dt && abs(away) <= margin + smear) { if (mine < 0 || snr[k] > snr[mine]) mine = k }
        from = d < dm[k] ? 0 : -smear; to = d < dm[k] ? smear : 0
        if (away >= from - margin && away <= to + margin) traced = k
    }
    if (mine >= 0 && got[mine] == 0) { got[mine] = s; at_dm[mine] = d; at_s[mine] = t }
    else if (mine >= 0) {
        extra++
        if (s > got[mine]) { got[mine] = s; at_dm[mine] = d; at_s[mine] = t }
    }
    else if (traced >= 0) extra++
    else { wrong++; if (s > worst) { worst = s; worst_at = d " at " t " s" } }
}
function sort(list, count,   i, j, x) {
    for (i = 2; i <= count; i++) { x = list[i]; for (j = i - 1; j >= 1 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
}
END {
    for (k = 0; k < n; k++) {
        for (e = 1; e < edges && snr[k] >= edge[e + 1];) e++
        of[e]++; all10 += snr[k] >= 10
        if (each != "") printf "%s,%s,%s,%s,%s,%s,%s\n", time[k], dm[k], box[k], snr[k], got[k], at_dm[k], at_s[k] > each
        if (got[k] == 0) continue
        have[e]++
        if (snr[k] >= 10) { found10++; part[++parts] = got[k] / snr[k] }
    }
    sort(part, parts)
    printf "\"bursts\": %d, \"bursts_10\": %d, \"found_10\": %d, \"rows\": %d, \"extra\": %d, \"false\": %d, \"marked\": %d, ",
        n, all10, found10, rows, extra, wrong, marked
    printf "\"false_an_hour\": %.4g, \"strongest_false\": \"%s\", \"snr_of_theory\": %.4f, ", wrong * 3600 / seconds,
        wrong ? sprintf("%.1f, DM %s", worst, worst_at) : "", parts ? part[int((parts + 1) / 2)] : 0
    printf "\"completeness\": {"
    for (e = 1; e < edges; e++)
        printf("%s\"%s-%s\": [%d, %d]", (e > 1 ? ", " : ""), edge[e], edge[e + 1], have[e], of[e])
    printf "}"
}
