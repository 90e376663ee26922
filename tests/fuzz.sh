#!/usr/bin/env bash
# Runs every fuzz target, or those named, for SECONDS each: tests/fuzz.sh SECONDS [target...]
# New inputs go to build-fuzz/corpus; a failing one is named at the end and belongs into tests/fuzz/corpus with its fix.
set -u
cd "$(dirname "$0")/.." || exit 2
seconds=${1:-}
case $seconds in '' | *[!0-9]*) echo "usage: tests/fuzz.sh SECONDS [target...]" >&2; exit 2 ;; esac
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(table tipsy hdf5 settings command_line picture scene checkpoint stateful differential)
command -v clang++ > /dev/null || { echo "fuzzing needs clang++ with libFuzzer (Debian: apt install clang)" >&2; exit 4; }
cmake --preset fuzz > /dev/null && cmake --build --preset fuzz --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}" || exit 1
failed=()
for target in "${targets[@]}"; do
  new=build-fuzz/corpus/$target
  seeds=tests/fuzz/corpus/$target
  mkdir -p "$new" build-fuzz/found
  log=build-fuzz/found/$target.log
  # Leaks are looked for by the address sanitizer's tests; here ptrace may be forbidden.
  if ! ASAN_OPTIONS=detect_leaks=0 "build-fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -rss_limit_mb=2048 -seed=1 -print_final_stats=1 -artifact_prefix="build-fuzz/found/$target-" "$new" "$seeds" > "$log" 2>&1; then
    failed+=("$target")
  fi
  printf '%-14s %s executions\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
done
for target in "${failed[@]}"; do
  echo "$target FAILED, see build-fuzz/found/$target.log:"
  grep -E "broken promise|ERROR|SUMMARY|Test unit written" "build-fuzz/found/$target.log" | head -5
done
[ ${#failed[@]} -eq 0 ]
