#!/usr/bin/env bash
# Do the tests notice mistakes? Applies each known mistake of tests/mutations in succession to a copy of the sources, builds
# the tests that the mutation names, and says for each whether a test failed:
#   tests/mutate.sh [--cuda] [--only NAME]... [--work FOLDER] [--csv FILE] [--list] [--build FOLDER | --judge FOLDER]
# --cuda runs the mutations of the CUDA backend instead, on an NVIDIA GPU. --work keeps the copy and its build for the next
# run. --csv adds a line per mutation. --build only builds, and leaves the tests with each mutation in FOLDER; --judge runs the
# tests that --build left, on a machine with a GPU and without a compiler. Exits with 1 when a mutation survives, and with 2 when
# a mutation does not fit the sources or does not build, or when the tests fail without a mutation.
# Rule: a mutation that was not applied, built and run counts neither as caught nor as survived.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
cuda='' only=() work='' csv='' list='' built='' judge=''
while [ $# -gt 0 ]; do
  case $1 in
    --cuda) cuda=1 ;;
    --only) only+=("${2:?}"); shift ;;
    --work) work=${2:?}; shift ;;
    --csv) csv=$(realpath "${2:?}"); shift ;;
    --list) list=1 ;;
    --build) mkdir -p "${2:?}" && built=$(realpath "$2") || exit 2; shift ;;
    --judge) judge=$(realpath "${2:?}"); shift ;;
    *) usage ;;
  esac
  shift
done

# Lines "KEY: text" stand before the patch: Mutation (one), Test (label and filter; any number), Needs.
said() { sed -n "/^---/q;s/^$1: //p" "$2"; }
chosen=()
for patch in tests/mutations/*.patch; do
  name=$(basename "$patch" .patch)
  [ "$(said Needs "$patch")" = cuda ] && [ -z "$cuda" ] && continue
  [ "$(said Needs "$patch")" != cuda ] && [ -n "$cuda" ] && continue
  if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then continue; fi
  if [ -z "$(said Mutation "$patch")" ] || [ -z "$(said Test "$patch")" ]; then
    echo "mutate: $patch does not say what it is or which test is to catch it" >&2
    exit 2
  fi
  chosen+=("$name")
  [ -n "$list" ] && printf '%-32s %s\n' "$name" "$(said Mutation "$patch")"
done
[ ${#chosen[@]} -gt 0 ] || { echo "mutate: there is no such mutation; --list names them" >&2; exit 2; }
[ -n "$list" ] && exit 0

if [ -z "$work" ]; then
  work=$(mktemp -d /tmp/gravlab-mutants.XXXXXX)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work/source" || exit 2
work=$(realpath "$work")
log=$work/log
# Only the test files that have the tests named are compiled: a small binary links fast.
configure() {
  local file suites files name
  # Only files that differ are written, so that a kept build stays current.
  while IFS= read -r -d '' file; do
    [ -f "$file" ] || continue
    cmp -s "$file" "$work/source/$file" || cp --parents -- "$file" "$work/source/" || return 1
  done < <(git ls-files -z --cached --others --exclude-standard)
  suites=$(for name in "${chosen[@]}"; do said Test "tests/mutations/$name.patch"; done | cut -d' ' -f2- | tr ':' '\n' |
    sed 's/\..*//;s/.*\///;s/\*$//' | sort -u)
  files=$(for suite in $suites; do
    grep -lE "TEST(_F|_P)?\($suite|INSTANTIATE_TEST_SUITE_P\(\w+, *$suite" tests/*/*.cpp
  done | xargs -rn1 basename | cat - <(echo gui_fixture.cpp) | sort -u | paste -sd ';')
  cmake -G Ninja -S "$work/source" -B "$work/source/build" -DCMAKE_BUILD_TYPE=Release -DGRAVLAB_FAULTS=ON "-DGRAVLAB_TEST_FILES=$files" \
    "-DGRAVLAB_CUDA=$([ -n "$cuda" ] && echo ON || echo OFF)" > "$log" 2>&1
}
labels_of() { said Test "$root/tests/mutations/$1.patch" | cut -d' ' -f1 | sort -u; }
# Builds the tests of the labels $2... from the copy as it is now; with --build, leaves them in its folder under the name $1.
build() {
  local name=$1 targets=() label
  shift
  for label in "$@"; do targets+=("gravlab_${label}_tests"); done
  ninja -C source/build -j "${JOBS:-$(nproc)}" "${targets[@]}" > "$log" 2>&1 || return 1
  [ -z "$built" ] && return 0
  mkdir -p "$built/$name" && for label in "$@"; do
    strip -o "$built/$name/gravlab_${label}_tests" "source/build/tests/gravlab_${label}_tests" || return 1
  done
}
# Runs the tests of a mutation; true when all pass. The name of the first failing test is left in $failed. With $known, tests
# that passed with the unchanged sources are not run again.
declare -A sound=()
passes() {
  local label filter rule
  failed=''
  while read -r label filter; do
    [ -n "$known" ] && [ -n "${sound[$label $filter]:-}" ] && continue
    if ! "$binaries/gravlab_${label}_tests" "--gtest_filter=$filter" --gtest_list_tests 2> /dev/null | grep -q '^  '; then
      failed="no test of the name $filter"
      return 1
    fi
    GRAVLAB_REQUIRE_GPU=${cuda:+1} timeout "${LIMIT:-900}" "$binaries/gravlab_${label}_tests" "--gtest_filter=$filter" \
      --gtest_fail_fast --gtest_brief=1 > "$log" 2>&1
    rule=$?
    if [ $rule = 0 ]; then
      [ -n "$known" ] && sound[$label $filter]=1
      continue
    fi
    failed=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$log" | head -1)
    [ -z "$failed" ] && failed=$([ $rule = 124 ] && echo "no end within ${LIMIT:-900} s" || echo "exit code $rule")
    return 1
  done <<< "$(said Test "$1")"
}

binaries=$judge/sound
if [ -z "$judge" ]; then
  configure || { tail -20 "$log" >&2; exit 2; }
  cd "$work" || exit 2
  echo "building without a mutation"
  # shellcheck disable=SC2046  # a list of words
  build sound $(for name in "${chosen[@]}"; do labels_of "$name"; done | sort -u) ||
    { tail -30 "$log" >&2; echo "mutate: the sources do not build" >&2; exit 2; }
  binaries=source/build/tests
fi
declare -A unsound=()
known=1
for name in "${chosen[@]}"; do
  [ -n "$built" ] && break
  passes "$root/tests/mutations/$name.patch" || unsound[$name]=$failed
done
survived=0 broken=0 caught=0 known=''
# Applies the mutation $1 and builds its tests; returns false with a verdict when a step fails.
mutant() {
  local patch=$root/tests/mutations/$1.patch
  if ! patch -d source -p1 --fuzz=0 --dry-run -s < "$patch" > "$log" 2>&1; then
    verdict='DOES NOT FIT' by='its text is not in the sources any more'
    return 1
  fi
  patch -d source -p1 --fuzz=0 -s < "$patch"
  # shellcheck disable=SC2046  # a list of words
  build "$1" $(labels_of "$1") || { verdict='DOES NOT BUILD' by=$(grep -m1 'error' "$log"); return 1; }
}
for name in "${chosen[@]}"; do
  patch=$root/tests/mutations/$name.patch
  what=$(said Mutation "$patch") verdict='' by=''
  if [ -n "${unsound[$name]:-}" ]; then
    verdict='FAILS WITHOUT' by=${unsound[$name]}
  elif [ -n "$judge" ]; then
    binaries=$judge/$name
    [ -d "$binaries" ] || verdict='NOT BUILT' by="there is no $name in $judge"
  else
    mutant "$name"
  fi
  if [ -n "$verdict" ]; then
    :
  elif [ -n "$built" ]; then
    verdict=built
  elif passes "$patch"; then
    verdict=SURVIVED
  else
    verdict=caught by=$failed
  fi
  # A patch that was applied is reverted; a patch that did not fit was not applied.
  if [ -z "$judge" ] && [ "$verdict" != 'DOES NOT FIT' ] && [ "$verdict" != 'FAILS WITHOUT' ]; then
    patch -d source -p1 --fuzz=0 -s -R < "$patch" || exit 2
  fi
  case $verdict in
    caught) caught=$((caught + 1)) ;;
    SURVIVED) survived=$((survived + 1)) ;;
    built) ;;
    *) broken=$((broken + 1)) ;;
  esac
  printf '%-32s %-15s %s\n' "$name" "$verdict" "${by:+by $by}"
  [ -n "$csv" ] && printf '%s,"%s",%s,"%s"\n' "$name" "$what" "$verdict" "$by" >> "$csv"
done
[ -n "$built" ] || echo "$caught caught, $survived survived, $broken could not be judged"
[ $broken -gt 0 ] && exit 2
[ $survived -gt 0 ] && exit 1
exit 0
