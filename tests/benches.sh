#!/usr/bin/env bash
# The measuring scripts: do they give well-formed tables, and do they notice tools that disagree?
#
#   tests/benches.sh [VERIFY_BINARY]
#
# Small models and single runs: nothing here says how fast anything is. Rumur and SPIN take part where installed;
# where VERIFY_REQUIRE names rumur, it must. The last line counts: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

verify=$(realpath "${1:-target/release/verify}")
. tests/checks.sh

# Every line of a CSV file has as many cells as its first, and there are at least COUNT lines of figures; every
# Markdown table has rows of one width; every SVG file is XML with a line in it.
cat >"$scratch/well_formed.py" <<'PY'
import csv, re, sys, xml.dom.minidom
kind, path, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
text = open(path, encoding="utf-8").read()
if kind == "csv":
    rows = list(csv.reader(text.splitlines()))
    assert len(rows) > least, f"{len(rows) - 1} lines"
    assert {len(row) for row in rows} == {len(rows[0])}, "lines of different widths"
elif kind == "markdown":
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    assert len(tables) >= least, f"{len(tables)} tables"
    for table in tables:
        lines = table.splitlines()
        assert len(lines) > 2 and len({line.count("|") for line in lines}) == 1, table
else:
    assert len(xml.dom.minidom.parse(path).getElementsByTagName("polyline")) >= least, "too few lines"
PY
well_formed() {
    cp "$scratch/$3" "$scratch/looked_at" # The next command's output would replace the last one's.
    expect "$1 is well-formed" 0 python3 "$scratch/well_formed.py" "$2" "$scratch/looked_at" "$4"
}

# A peer that is wanted or installed must be in the table.
peer=
if command -v rumur >/dev/null && command -v gcc >/dev/null; then
    peer=rumur
else
    case "${VERIFY_REQUIRE:-}" in
    *rumur*) failed=$((failed + 1)); echo "FAILED: VERIFY_REQUIRE names rumur, and it is not installed" ;;
    *) skipped=$((skipped + 1)); echo "SKIPPED: rumur is not installed" ;;
    esac
fi

expect "peers" 0 benches/peers --quick --only peterson --section states,spin --verify "$verify" --out "$scratch/page.md"
well_formed "the page" markdown page.md 1
well_formed "the runs" csv page.csv 1
finds "peers" page.md '^\| peterson \(N 4\) \| 24,293 \| [0-9.]+ \|'
finds "peers" page.csv '^states,peterson \(N 4\),verify,1,holds,24293,75048,'
if [ -n "$peer" ]; then
    finds "peers" page.csv '^states,peterson \(N 4\),rumur,1,holds,24293,75048,'
    finds "peers" page.md 'Geometric mean of the ratios: [0-9.]+ over 1 models'
fi
if command -v spin >/dev/null && command -v gcc >/dev/null; then
    finds "peers" page.csv '^spin,peterson \(N 4\),spin,1,holds,24293,75048,'
fi
expect "store, flat and memory" 0 benches/peers --quick --section store,flat,memory --verify "$verify" \
    --csv "$scratch/runs.csv"
well_formed "store, flat and memory" markdown out 3
if [ -n "$peer" ]; then
    finds "memory" looked_at '^\| peterson \(N 4\) \| 24,293 \| [0-9]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \|$'
fi
well_formed "store, flat and memory" csv runs.csv 8

# A binary that counts one state too many in every second run: it disagrees with its peers and with itself.
cat >"$scratch/miscounting" <<SH
#!/bin/sh
"$verify" "\$@"
code=\$?
if [ -e "$scratch/second" ]; then
    rm "$scratch/second"
    sed -i 's/^  "states": 24293,/  "states": 24294,/' result.json
else
    touch "$scratch/second"
fi
exit \$code
SH
chmod +x "$scratch/miscounting"
expect "a wrong count" 1 benches/peers --quick --only peterson --section states --repeat 2 \
    --verify "$scratch/miscounting" --csv "$scratch/wrong.csv"
finds "a wrong count" out '^\| peterson \(N 4\) \| \*\*excluded: .*24,29[34] states.*24,29[34] states'
finds "a wrong count" err '^peers: excluded: states: peterson'
finds "a wrong count" wrong.csv ',24294,.*says holds'
rm -f "$scratch/second"
expect "a wrong count in a scaling study" 1 benches/scaling --model models/peterson.m --ranks 1,2 --repeat 1 \
    --verify "$scratch/miscounting"
finds "a wrong count in a scaling study" err '^scaling: .*differ'

# Where the machine lets programs be sampled.
if command -v perf >/dev/null && perf record -q -e cpu-clock -o "$scratch/perf.data" true >/dev/null 2>&1; then
    expect "shares" 0 benches/shares.py --repeat 1 --verify "$verify" --verify "$verify" \
        check models/peterson.m --const N=4 --symmetry off
    finds "shares" out '^\| store \| [0-9]+ \| [0-9]+ % \| [0-9]+ \| [0-9]+ % \|$'
    finds "shares" out '^\| all \| [1-9][0-9]* \| 100 % \| [1-9][0-9]* \| 100 % \|$'
    expect "shares of a search that cannot be" 1 benches/shares.py --repeat 1 --verify "$verify" check models/none.m
else
    skipped=$((skipped + 1))
    echo "SKIPPED: perf is not installed, or may not sample here"
fi

expect "scaling" 0 benches/scaling --const NODE_NUM=3 --ranks 1,2 --repeat 1 --per-rank 10000 --weak-const NODE_NUM=4 \
    --items 2000 --verify "$verify" --out "$scratch/study.md"
well_formed "the study" markdown study.md 3
well_formed "the study" csv study.csv 4
well_formed "the speed-up" svg study_speedup.svg 3
well_formed "the prediction" svg study_predicted.svg 4
finds "scaling" study.csv '^strong,2,58104,235872,'
finds "weak scaling" study.csv '^weak,1,1[0-9]{4},'
finds "weak scaling" study.csv '^weak,2,2[0-9]{4},'
finds "scaling" study.md '\| 1024 \| .* \| 0\.[0-9]+ \|'
for ranks in 1 2; do
    expect "a run to compare" 0 "$verify" check models/mutex.m --ranks $ranks --quiet --json "$scratch/run-$ranks.json"
done
expect "results that were kept" 0 benches/scaling "$scratch"/run-1.json "$scratch"/run-2.json --csv
well_formed "results that were kept" csv out 2
expect "another model" 0 "$verify" check models/muxsem.m --quiet --json "$scratch/run-3.json"
expect "results of different searches" 1 benches/scaling "$scratch"/run-1.json "$scratch"/run-3.json

expect "published tables" 0 benches/proofs.py --verify "$verify" --ranks 2 jobs/proof/meng5_philosophers_6_tmmc*.toml \
    jobs/proof/bits_peterson_4_split.toml
well_formed "published tables" markdown out 2
finds "published tables" looked_at '^\| 5 \| philosophers \| 6 \| tmmc \| no \(no\) \|'
finds "published tables" looked_at '^\| 5 \| philosophers \| 6 \| tmmcir \| yes \(yes\) \| .* \| 3 \(3\) \|'
finds "published tables" looked_at '^\| Peterson \| 4 \| yes \|'

# The fit finds again what a run was made from.
expect "the fit" 0 python3 -B - <<'PY'
import sys
sys.path.insert(0, "benches")
import cost
search = cost.Search("made up", 10**7, 5.0, 40, 32.0, 1000.0, 60.0)
network = cost.Network("made up", 3e-6, 200e6)
costs = cost.Costs(1e-6, 60e-9, 1e-9, x=0.7)
runs = [(search, ranks, cost.seconds(search, costs, network, ranks)) for ranks in (2, 4, 8)]
assert abs(cost.fit(runs, costs, network) - 0.7) < 0.01, cost.fit(runs, costs, network)
assert cost.seconds(search, costs, network, 1) == 10.0
line = [cost.efficiency(search, costs, network, ranks) for ranks in (1, 2, 16, 128, 1024)]
assert line[0] == 1.0 and line == sorted(line, reverse=True) and line[-1] > 0, line
assert cost.line_through([(1, 3.0), (2, 5.0), (4, 9.0)]) == (1.0, 2.0)
PY

tell
