#!/usr/bin/env bash
# The binary under real mpirun, with Open MPI and with MPICH, at several rank counts.
#
#   tests/mpi.sh            every MPI that is installed
#   tests/mpi.sh openmpi    one of them
#
# The binary of the MPI behind `mpicc` is target/debug/verify (built by `cargo test`); for MPICH beside it, a second
# one is built into target-mpich, because a binary belongs to one MPI. An MPI that is missing is skipped, loudly, or
# an error where VERIFY_REQUIRE names it. The last line counts: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

. tests/checks.sh

# Only what sees MPI's headers differs between the two builds; the rest is taken over. Cargo does not notice a change
# of MPICC, so those parts are cleaned by hand.
build_for_mpich() {
    if [ ! -d target-mpich ] && [ -d target/debug/deps ]; then
        mkdir -p target-mpich && cp -a target/debug target-mpich/debug &&
            cargo clean --quiet --locked --target-dir target-mpich -p mpi-sys -p mpi -p verify
    fi
    MPICC=mpicc.mpich cargo build --locked --quiet --target-dir target-mpich
}

killed_rank() {
    local mpi=$1 run=$2 verify=$3 begin victim code
    begin=$(date +%s)
    $run -n 4 "$verify" comm-check --items 100000000 >/dev/null 2>&1 &
    local job=$!
    sleep 2
    victim=$(pgrep -f "$verify comm-check --items 100000000" | while read -r pid; do
        [ "$(readlink -f "/proc/$pid/exe")" = "$(readlink -f "$verify")" ] && echo "$pid"; done | tail -n 1)
    [ -n "$victim" ] && kill -9 "$victim"
    for _ in $(seq 100); do kill -0 "$job" 2>/dev/null || break; sleep 0.1; done
    if kill -0 "$job" 2>/dev/null; then
        failed=$((failed + 1))
        echo "FAILED: $mpi: the run goes on 10 s after rank process $victim was killed"
        kill -9 "$job"
        return
    fi
    wait "$job"
    code=$?
    if [ "$code" != 0 ]; then
        passed=$((passed + 1))
        echo "$mpi: a killed rank ended the run $(($(date +%s) - begin - 2)) s later, exit code $code"
    else
        failed=$((failed + 1))
        echo "FAILED: $mpi: exit code 0 after a rank was killed"
    fi
}

exercise() {
    local mpi=$1 run=$2 verify=$3
    for n in 1 2 3 4 7; do
        expect "$mpi comm-check on $n" 0 $run -n $n "$verify" comm-check --items 2000
        says "$mpi comm-check on $n" out 1 "all $n ranks hear each other"
    done
    expect "$mpi singleton" 0 "$verify" comm-check --transport mpi
    for n in 1 2 3 4; do
        expect "$mpi german on $n" 0 $run -n $n "$verify" check models/german.m --symmetry off --json -
        says "$mpi german on $n" out 1 '^  "states": 3390,'
        says "$mpi german on $n" out 1 "^  \"ranks\": $n,"
    done
    for n in 1 2 3 4; do
        expect "$mpi weak response on $n" 0 $run -n $n "$verify" check models/liveness/peterson_weak.m --const N=3
        says "$mpi weak response on $n" out 1 '^liveness "who tries gets in" +holds'
        expect "$mpi strong response on $n" 0 $run -n $n "$verify" check models/liveness/muxsem_strong.m --const N=3
        says "$mpi strong response on $n" out 1 '^liveness "who requests gets in" +holds'
        expect "$mpi lasso on $n" 1 $run -n $n "$verify" check models/liveness/muxsem_weak.m --const N=3
        says "$mpi lasso on $n" out 1 'and then, again and again:'
    done
    for n in 1 2 3 4; do
        expect "$mpi deadlock freedom on $n" 0 $run -n $n "$verify" check models/liveness/flash.m --df ost --json -
        says "$mpi deadlock freedom on $n" out 1 '^ *"p_states": 5587,'
        says "$mpi deadlock freedom on $n" out 1 '^ *"q_states": 26,'
    done
    for n in 1 2 3; do
        expect "$mpi proof on $n" 0 $run -n $n "$verify" prove models/proof/mux_sem.m
        says "$mpi proof on $n" out 1 '^The proof was checked anew'
        expect "$mpi open proof on $n" 4 $run -n $n "$verify" prove models/proof/mux_sem.m --method tmmc
        expect "$mpi no proof on $n" 1 $run -n $n "$verify" prove models/proof/broken/mux_sem_no_test.m
        says "$mpi no proof on $n" out 1 'VIOLATED: '
    done
    expect "$mpi helpful path" 1 $run -n 3 "$verify" check models/liveness/peterson_buggy.m --const N=3 --df ptp
    says "$mpi helpful path" out 1 'no helpful rule leads on'
    expect "$mpi violation" 1 $run -n 3 "$verify" check models/broken/mutex_no_lock.m
    says "$mpi violation" out 1 'VIOLATED: '
    printf 'var x : nothing;\n' >"$scratch/bad.m"
    expect "$mpi bad model" 2 $run -n 3 "$verify" check "$scratch/bad.m"
    says "$mpi bad model" err 1 'error: '
    expect "$mpi bad option" 2 $run -n 3 "$verify" check --bogus
    says "$mpi bad option" err 1 'unexpected argument'
    expect "$mpi panic" 3 $run -n 4 "$verify" comm-check --fail-rank 2
    says "$mpi panic" err 1 'rank 2: internal error: this rank was asked to fail'
    killed_rank "$mpi" "$run" "$verify"
    echo "$mpi: done"
}

skip() {
    case " ${VERIFY_REQUIRE:-} " in
    *" $1 "*)
        failed=$((failed + 1))
        echo "FAILED: VERIFY_REQUIRE names $1, and it is not installed"
        ;;
    *)
        skipped=$((skipped + 1))
        echo "SKIPPED: $1 is not installed"
        ;;
    esac
}

wanted=${1:-openmpi mpich}
flavour() {
    if "$1" --showme:version >/dev/null 2>&1; then echo openmpi; else echo mpich; fi
}
default=$(command -v mpicc >/dev/null && flavour mpicc)
case " $wanted " in *" openmpi "*)
    if [ "$default" = openmpi ]; then
        exercise openmpi "$(command -v mpirun.openmpi || command -v mpirun)" target/debug/verify
    else
        skip openmpi
    fi
    ;;
esac
case " $wanted " in *" mpich "*)
    if [ "$default" = mpich ]; then
        exercise mpich "$(command -v mpirun.mpich || command -v mpirun)" target/debug/verify
    elif command -v mpicc.mpich >/dev/null; then
        build_for_mpich || exit 1
        exercise mpich mpirun.mpich target-mpich/debug/verify
        # A binary of one MPI under the launcher of the other would run as many lonely ranks.
        expect "MPICH's binary under Open MPI's mpirun" 3 mpirun.openmpi -n 2 target-mpich/debug/verify comm-check
        says "MPICH's binary under Open MPI's mpirun" err 1 'started 2 tasks, but the MPI in this binary'
    else
        skip mpich
    fi
    ;;
esac
tell
