#!/bin/sh
# Compares `verify` with Rumur on the models of this repository.
#
#   tests/rumur.sh [VERIFY_BINARY] [MODEL...]
#
# VERIFY_BINARY is target/release/verify unless given. Without MODEL, all of
# models/*.m, models/proof/*.m and the broken ones are taken, at their default
# sizes.
#
# For each model that Rumur accepts, Rumur's checker is generated, compiled and
# run with symmetry reduction off and, where the model has a scalarset, also
# exhaustive. `verify check --engine brute` runs with symmetry off and exact.
# The verdicts must agree; where the model holds, so must the numbers of states
# and of rules fired. One line is printed for each model, and a closing line.
#
# Exit code: 0 all agree, 1 some disagree, 2 the script cannot do its work.
# A model that Rumur cannot read (unions, multisets, this project's extensions
# of the language) is skipped with the reason. Without Rumur everything is
# skipped, loudly, unless VERIFY_REQUIRE contains "rumur": then it is an error.
# SECONDS_MAX (default 300) bounds each run of either tool.

set -u

root=$(cd "$(dirname "$0")/.." && pwd)
seconds_max=${SECONDS_MAX:-300}

fail() {
  echo "rumur.sh: $*" >&2
  exit 2
}

case "${1:-}" in
  -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  '') verify=$root/target/release/verify ;;
  *.m) verify=$root/target/release/verify ;;
  *) verify=$1; shift ;;
esac

if [ $# -eq 0 ]; then
  set -- "$root"/models/*.m "$root"/models/broken/*.m \
    "$root"/models/proof/*.m "$root"/models/proof/broken/*.m
fi

missing=
for tool in rumur cc python3; do
  command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if [ -n "$missing" ]; then
  case "${VERIFY_REQUIRE:-}" in
    *rumur*) fail "VERIFY_REQUIRE asks for rumur, but these are missing:$missing" ;;
  esac
  echo "SKIPPED: the comparison with Rumur needs$missing, not installed here"
  echo "0 passed, 0 failed, $# skipped"
  exit 0
fi
case "$verify" in
  */*) [ -x "$verify" ] || fail "no executable $verify; build it or name another" ;;
  *) command -v "$verify" >/dev/null 2>&1 || fail "no program $verify" ;;
esac
scratch=$(mktemp -d) || fail "no scratch directory"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' HUP INT TERM

cflags='-O2 -w'
[ "$(uname -m)" = x86_64 ] && cflags="$cflags -mcx16"

# ask_rumur MODEL MODE: prints "VERDICT STATES RULES"; on failure prints why and
# returns 1 (not a model for Rumur) or 2 (Rumur or the compiler failed).
ask_rumur() {
  if ! rumur --quiet --threads 1 --symmetry-reduction="$2" \
    --output-format machine-readable --counterexample-trace off \
    --output "$scratch/checker.c" "$1" 2>"$scratch/errors" >&2; then
    # About an extension, Rumur's own message is only a syntax error.
    extension=$(sed 's/"[^"]*"//g; s/--.*//' "$1" | grep -o -i -w -m 1 \
      -e CANGETTO -e LEADSTO -e fair -e unhelpful -e process | head -n 1)
    reason=$(grep -m 1 'error' "$scratch/errors" | sed 's/^.*error: //')
    echo "${extension:+the extension $extension: }${reason:-$(head -n 1 "$scratch/errors")}"
    return 1
  fi
  # shellcheck disable=SC2086
  cc $cflags "$scratch/checker.c" -o "$scratch/checker" -lpthread \
    2>"$scratch/errors" || { echo "cc: $(head -n 1 "$scratch/errors")"; return 2; }
  timeout "$seconds_max" "$scratch/checker" >"$scratch/rumur.xml" 2>"$scratch/errors"
  code=$?
  case $code in
    0) verdict=holds ;;
    1) verdict=violated ;;
    124) echo "more than $seconds_max seconds"; return 2 ;;
    *) echo "the checker ended with code $code"; return 2 ;;
  esac
  counts=$(sed -n 's/.*<summary states="\([0-9]*\)" rules_fired="\([0-9]*\)".*/\1 \2/p' \
    "$scratch/rumur.xml")
  [ -n "$counts" ] || { echo "the checker printed no summary"; return 2; }
  echo "$verdict $counts"
}

# ask_verify MODEL MODE: prints "VERDICT STATES RULES" or why not, returning 2.
ask_verify() {
  timeout "$seconds_max" "$verify" check "$1" --engine brute --symmetry "$2" \
    --json - >"$scratch/verify.json" 2>"$scratch/errors"
  code=$?
  [ $code -eq 124 ] && { echo "more than $seconds_max seconds"; return 2; }
  python3 - "$scratch/verify.json" 2>/dev/null <<'PY' || { echo "code $code, no readable result: $(head -n 1 "$scratch/errors")"; return 2; }
import json, sys
# The result is the document that reaches to the end of the output.
text = open(sys.argv[1], encoding="utf-8").read()
result = None
for start in (i for i, c in enumerate(text) if c == "{"):
    try:
        result = json.loads(text[start:])
        break
    except ValueError:
        pass
print(result["verdict"], result["states"], result["rules_fired"])
PY
}

# agree MODEL RUMUR_MODE VERIFY_MODE: 0 agree, 1 differ, 2 skip; `note` says more.
agree() {
  theirs=$(ask_rumur "$1" "$2")
  case $? in
    1) note="Rumur cannot read it: $theirs"; return 2 ;;
    2) note="$note; $3: Rumur failed: $theirs"; return 1 ;;
  esac
  ours=$(ask_verify "$1" "$3") || {
    note="$note; $3: verify failed: $ours"
    return 1
  }
  if [ "$ours" = "$theirs" ]; then
    note="$note; $3: $ours"
    return 0
  fi
  # How many states a tool sees before it finds a violation is its own affair.
  if [ "${ours%% *}" = violated ] && [ "${theirs%% *}" = violated ]; then
    note="$note; $3: violated"
    return 0
  fi
  note="$note; $3: verify says $ours, Rumur says $theirs"
  return 1
}

passed=0 failed=0 skipped=0
for model in "$@"; do
  name=${model#"$root"/}
  if [ ! -r "$model" ]; then
    echo "FAIL $name: not readable"
    failed=$((failed + 1))
    continue
  fi
  note=
  agree "$model" off off
  outcome=$?
  if [ $outcome -eq 0 ] && sed 's/--.*//' "$model" | grep -q -i -w scalarset; then
    agree "$model" exhaustive exact
    outcome=$?
  fi
  note=${note#; }
  case $outcome in
    0) echo "ok   $name: $note"; passed=$((passed + 1)) ;;
    2) echo "SKIP $name: $note"; skipped=$((skipped + 1)) ;;
    *) echo "FAIL $name: $note"; failed=$((failed + 1)) ;;
  esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
