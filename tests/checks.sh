# For scripts that check commands, to be sourced: counts what passed, and keeps the last command's output in $scratch.
# At the end, `tell` prints the counts and is false where something failed.

passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect NAME CODE COMMAND…: the command's exit code, within two minutes; output is kept for `says` and `finds`.
expect() {
    local name=$1 expected=$2 code
    shift 2
    timeout -k 5 120 "$@" >"$scratch/out" 2>"$scratch/err"
    code=$?
    if [ "$code" = "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: exit code $code instead of $expected: $*"
        tail -n 15 "$scratch/out" "$scratch/err"
    fi
}

# says NAME FILE COUNT PATTERN: how often the pattern stands in the last command's output.
says() {
    local name=$1 file=$2 count=$3 found
    found=$(grep -cE -- "$4" "$scratch/$file")
    if [ "$found" = "$count" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: '$4' stands $found times instead of $count in:"
        tail -n 15 "$scratch/$file"
    fi
}

# finds NAME FILE PATTERN: the pattern stands in the file.
finds() {
    if grep -qE -- "$3" "$scratch/$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1: no '$3' in $2:"
        tail -n 15 "$scratch/$2"
    fi
}

tell() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}
