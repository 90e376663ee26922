#!/usr/bin/env bash
# Runs every fuzz target, or the targets named, for SECONDS each, with as many at once as there are cores:
#   tests/fuzz.sh SECONDS [target...]
#   tests/fuzz.sh --binaries FOLDER SECONDS [target...]    runs the targets built elsewhere, from FOLDER; needs no compiler
#   tests/fuzz.sh --pack FOLDER                            builds all into FOLDER, with the libraries that they need
# New inputs go to build-fuzz/corpus. A failing input is named at the end; add it to tests/fuzz/corpus with the fix.
set -u
cd "$(dirname "$0")/.." || exit 2
usage() { sed -n '3,5s/^#  *//p' "$0" >&2; exit 2; }
all=(table tipsy hdf5 toml settings command_line picture scene checkpoint script lesson units own_data stateful differential)
build() {
  command -v clang++ > /dev/null || { echo "fuzzing needs clang++ with libFuzzer (Debian: apt install clang)" >&2; exit 4; }
  cmake --preset fuzz > /dev/null && cmake --build --preset fuzz --parallel "$(nproc)" --target "${@/#/fuzz_}" || exit 1
}
pack() {
  mkdir -p "$1/lib"
  for target in "${all[@]}"; do
    strip --strip-debug -o "$1/fuzz_$target" "build-fuzz/tests/fuzz/fuzz_$target"
    # The loader and the C library are copied, too, so that the other machine may be older.
    ldd "build-fuzz/tests/fuzz/fuzz_$target" | grep -o '/[^ ]*' | sort -u | xargs -I{} cp -Lu {} "$1/lib/"
  done
}
binaries=
case ${1:-} in
  --pack) [ $# -eq 2 ] || usage; build "${all[@]}"; pack "$2"; exit ;;
  --binaries) [ $# -ge 3 ] || usage; binaries=$(realpath "$2"); shift 2 ;;
esac
seconds=${1:-}
case $seconds in '' | *[!0-9]*) usage ;; esac
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")
[ -n "$binaries" ] || build "${targets[@]}"

fuzz() {
  local target=$1 program=(build-fuzz/tests/fuzz/fuzz_"$1")
  if [ -n "$binaries" ]; then
    program=("$binaries/lib/ld-linux-x86-64.so.2" --library-path "$binaries/lib" "$binaries/fuzz_$target")
    [ -x "${program[0]}" ] || program=("$binaries/fuzz_$target")
  fi
  mkdir -p "build-fuzz/corpus/$target" build-fuzz/found
  # The address sanitizer's tests look for leaks; here ptrace may be forbidden.
  ASAN_OPTIONS=detect_leaks=0 "${program[@]}" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -seed=1 \
    -print_final_stats=1 -artifact_prefix="build-fuzz/found/$target-" "build-fuzz/corpus/$target" "tests/fuzz/corpus/$target" \
    > "build-fuzz/found/$target.log" 2>&1
  echo $? > "build-fuzz/found/$target.code"
}
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  fuzz "$target" &
done
wait
failed=0
for target in "${targets[@]}"; do
  log=build-fuzz/found/$target.log
  printf '%-14s %s executions\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  [ "$(cat "build-fuzz/found/$target.code")" = 0 ] && continue
  failed=1
  echo "$target FAILED, see $log:"
  grep -E "broken promise|ERROR|SUMMARY|Test unit written" "$log" | head -5
done
exit $failed
