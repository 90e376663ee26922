# Sourced by ./run and ./test: installs missing packages of packages.txt, then configures and builds.
# Rule: when all packages are there, nothing is installed and the network is not used.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GRAVLAB_BUILD:-$root/build}

fail() {
    printf 'gravlab: %s\n' "$1" >&2
    exit "${2:-1}"
}

# present KIND ARGUMENT...: tests whether the thing that a row of packages.txt names is here.
present() {
    case $1 in
        command) command -v "$2" >/dev/null ;;
        program-or) command -v "$2" >/dev/null || command -v "$3" >/dev/null ;;
        pkg-config) command -v pkg-config >/dev/null && pkg-config --exists "$2" ;;
        file) compgen -G "/usr/$2" >/dev/null ;;
        *) fail "third_party/packages.txt: unknown kind of check '$1'" ;;
    esac
}

# installed PACKAGES: tests whether dpkg has one of the |-separated packages. Covers files that moved between releases.
installed() {
    command -v dpkg-query >/dev/null || return 1
    local name
    for name in ${1//|/ }; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] && return 0
    done
    return 1
}

# install_missing WHEN...: installs missing packages of all rows whose first column is one of WHEN.
install_missing() {
    local when package probe missing=()
    while read -r when package probe; do
        case $when in '' | '#'*) continue ;; esac
        [[ " $* " == *" $when "* ]] || continue
        # shellcheck disable=SC2086  # the probe is a word list
        present $probe || installed "$package" || missing+=("$package")
    done <"$root/third_party/packages.txt"
    [ ${#missing[@]} -gt 0 ] || return 0

    if ! command -v apt-get >/dev/null; then
        fail "these are missing (Debian's names; install your system's equivalents, or configure with
  -DGRAVLAB_FETCH_DEPS=ON to download libraries): ${missing[*]}"
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "please install as root: apt-get install ${missing[*]//|*/}"
        as_root=(sudo)
    fi
    printf 'gravlab: installing %s\n' "${missing[*]//|*/}" >&2
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    "${apt[@]}" update >&2 || fail "apt-get update failed; is the network there?"
    local names=() choice name
    for package in "${missing[@]}"; do
        choice=
        for name in ${package//|/ }; do
            if apt-cache show "$name" >/dev/null 2>&1; then
                choice=$name
                break
            fi
        done
        [ -n "$choice" ] || fail "apt knows no package ${package//|/ or }; Debian 12 or Ubuntu 24.04 and newer have it"
        names+=("$choice")
    done
    "${apt[@]}" install -y --no-install-recommends "${names[@]}" >&2 ||
        fail "apt-get could not install: ${names[*]}"
}

# The compute capabilities of the GPUs here in the form of CMake ("90"), or 90 without a GPU.
gpu_architectures() {
    local found=
    if command -v nvidia-smi >/dev/null; then
        found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
            sed -n 's/^ *\([0-9][0-9]*\)\.\([0-9]\) *$/\1\2/p' | sort -u | paste -sd ';')
    fi
    printf '%s' "${found:-90}"
}

# Compilers at once: one per core, limited by memory; each uses up to 1.5 GB.
parallel_jobs() {
    local jobs memory
    jobs=$(nproc)
    memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null)
    if [ -n "$memory" ] && [ $((memory / 1500000)) -lt "$jobs" ]; then jobs=$((memory / 1500000)); fi
    echo $((jobs > 0 ? jobs : 1))
}

# configure_and_build TARGET CMAKE_ARGUMENT...: prints nothing on success and the log on failure.
configure_and_build() {
    local target=$1
    shift
    mkdir -p "$build" 2>/dev/null && [ -w "$build" ] ||
        fail "cannot write to $build; set GRAVLAB_BUILD to a folder that you may write to"
    # A build folder that was copied or moved has paths of another tree; CMake would refuse it.
    if [ -e "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
        rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    local generator=()
    if [ ! -e "$build/CMakeCache.txt" ]; then
        if command -v ninja >/dev/null; then generator=(-G Ninja); else generator=(-G "Unix Makefiles"); fi
    fi
    local log=$build/setup.log
    if ! cmake "${generator[@]}" -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release "$@" >"$log" 2>&1; then
        cat "$log" >&2
        fail "configuring failed; the text above says why"
    fi
    sed -n 's/^-- \(CUDA backend: .*\)/gravlab: \1/p' "$log" >&2
    if [ -t 2 ]; then # a person watches: show the build's own progress
        cmake --build "$build" --target "$target" --parallel "$(parallel_jobs)" >&2 || fail "the build failed"
    elif ! cmake --build "$build" --target "$target" --parallel "$(parallel_jobs)" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        fail "the build failed; the whole log is $log"
    fi
}
