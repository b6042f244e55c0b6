#!/usr/bin/env bash
# Installs what building and testing need, where it is missing; says nothing where all is there.
#
#   ./setup.sh        what `make run` needs: a C compiler, an MPI, libclang (for the MPI bindings)
#   ./setup.sh test   also what `make test` can use: a second MPI (MPICH) and the peer checker rumur
#   ./setup.sh peers  also what `make peers` compares with: the checkers rumur and spin
#
# An MPI that is already on the PATH (a cluster's module) is taken as it is. WITHOUT_MPI=1 leaves MPI out.
set -euo pipefail

purpose=${1:-run}
rust_needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/Cargo.toml")

# What the package manager says, shown only when it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }
say() { printf 'setup: %s\n' "$*" >&2; }

check_rust() {
    if ! have cargo; then
        say "no Rust toolchain (cargo) on the PATH; install Rust $rust_needed or later with rustup, then try again"
        exit 3
    fi
    local found
    found=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n%s\n' "$rust_needed" "$found" | sort -V | head -n 1)" != "$rust_needed" ]; then
        say "Rust $found is too old; install $rust_needed or later with rustup, then try again"
        exit 3
    fi
}

have_mpi() { have mpicc && { have mpirun || have mpiexec || have srun; }; }

# The bindings are generated with libclang, which needs the headers that come with clang.
have_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    local lib header
    lib=$(find /usr/lib /usr/lib64 /usr/local/lib /opt -maxdepth 4 -name 'libclang*.so*' ! -name 'libclang-cpp*' \
        -print -quit 2>/dev/null || true)
    [ -n "$lib" ] || return 1
    have clang && return 0
    header=$(find /usr/lib /usr/lib64 /usr/local/lib /opt -path '*/clang/*/include/stddef.h' -print -quit 2>/dev/null || true)
    [ -n "$header" ]
}

# What is missing, as words that `packages_for` translates.
missing() {
    have cc || echo compiler
    if [ -z "${WITHOUT_MPI:-}" ]; then
        have_mpi || echo mpi
        have_libclang || echo libclang
    fi
    if [ "$purpose" = test ] && [ -z "${WITHOUT_MPI:-}" ]; then
        # A second MPI and a peer make tests stronger, but only where a package manager offers them.
        if have apt-get; then
            have mpicc.mpich || have_cluster_mpi || echo mpich
            have rumur || echo rumur
        fi
    fi
    if [ "$purpose" = peers ] && have apt-get; then
        have rumur || echo rumur
        have spin || echo spin
    fi
}

# An MPI outside /usr is somebody's choice, and another one beside it would only confuse.
have_cluster_mpi() { have mpicc && case $(command -v mpicc) in /usr/bin/*) false ;; *) true ;; esac; }

debian_packages() {
    local clang
    for word in "$@"; do
        case $word in
        compiler) echo gcc libc6-dev ;;
        mpi) echo libopenmpi-dev openmpi-bin ;;
        mpich) echo libmpich-dev mpich ;;
        rumur) echo rumur ;;
        spin) echo spin ;;
        libclang)
            # The number differs between releases; the one that libclang-dev stands for is the release's own.
            clang=$(apt-cache depends libclang-dev 2>/dev/null | grep -o 'libclang-[0-9]*-dev' | grep -o '[0-9]*' | head -n 1)
            if [ -n "$clang" ]; then echo "libclang1-$clang libclang-common-$clang-dev"; else echo libclang-dev; fi
            ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else return 1; fi
}

install_debian() {
    local packages optional
    if ! as_root true 2>/dev/null; then
        say "not root and no sudo; ask an administrator for: apt-get install $(debian_packages "$@" | xargs)"
        exit 3
    fi
    as_root apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; say "apt-get update failed"; exit 3; }
    packages=$(debian_packages "$@" | xargs)
    say "installing $packages"
    # shellcheck disable=SC2086
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >"$log" 2>&1; then
        optional=$(printf '%s\n' "$@" | grep -Ex 'mpich|rumur|spin' || true)
        if [ -n "$optional" ] && [ "$(printf '%s\n' "$@")" = "$optional" ]; then
            say "SKIPPED: $packages cannot be installed here; the tests that use them will be skipped"
            return 0
        fi
        cat "$log" >&2
        say "apt-get install failed"
        exit 3
    fi
}

print_advice() {
    say "missing: $*. Install, then try again:"
    cat >&2 <<'ADVICE'
  Fedora, RHEL     dnf install gcc openmpi-devel clang-libs clang-resource-filesystem   (then: module load mpi)
  openSUSE         zypper install gcc openmpi4-devel libclang13 clang-devel
  Arch             pacman -S gcc openmpi clang
  macOS            brew install open-mpi llvm           (and: export LIBCLANG_PATH="$(brew --prefix llvm)/lib")
  a cluster        module load gcc openmpi llvm         (names differ; an MPI with mpicc on the PATH is enough)
Without MPI: WITHOUT_MPI=1 make run, or cargo build --no-default-features
ADVICE
    exit 3
}

main() {
    check_rust
    local words
    words=$(missing)
    [ -z "$words" ] && return 0
    # shellcheck disable=SC2086
    if have apt-get; then
        # What tests need besides is installed on its own, so that its failure is not fatal.
        local needed optional
        needed=$(printf '%s\n' $words | grep -Exv 'mpich|rumur|spin' | xargs || true)
        optional=$(printf '%s\n' $words | grep -Ex 'mpich|rumur|spin' | xargs || true)
        [ -z "$needed" ] || install_debian $needed
        for word in $optional; do install_debian "$word"; done
    else
        print_advice $words
    fi
}

main
