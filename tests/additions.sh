#!/usr/bin/env bash
# Are additions as small as CONTRIBUTING.md says, and do they work? Applies the examples of tests/additions to a copy of the
# sources, prints the size of each, builds the program with all of them, and tries each one:
#   tests/additions.sh [--work FOLDER] [NAME...]
# --work keeps the copy and its build for the next run. Lines "KEY: text" stand before each patch: Addition, Try (a command
# with $gravlab and $extended, the program with tests/extensions) and Expect (a regular expression of its output). Exits with
# 1 when an example does not do what it should, and with 2 when one does not fit or does not build.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD work=
if [ "${1:-}" = --work ]; then work=${2:?}; shift 2; fi
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(basename -s .patch tests/additions/*.patch)
if [ -z "$work" ]; then
  work=$(mktemp -d /tmp/gravlab-additions.XXXXXX)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work/source" && work=$(realpath "$work") || exit 2
said() { sed -n "/^---/q;s/^$1: //p" "$root/tests/additions/$2.patch"; }

# Only files that differ are written, so that a kept build stays current; files that the tree does not have go, among them
# those of an earlier example.
files=()
while IFS= read -r -d '' file; do
  [ -f "$file" ] || continue
  files+=("$file")
  cmp -s "$file" "$work/source/$file" || cp --parents -- "$file" "$work/source/" || exit 2
done < <(git ls-files -z --cached --others --exclude-standard)
comm -z -13 <(printf '%s\0' "${files[@]}" | sort -z) <(find "$work/source" -type f -printf '%P\0' | sort -z) |
  (cd "$work/source" && xargs -0 -r rm -f --)
for name in "${names[@]}"; do
  patch=tests/additions/$name.patch
  [ -f "$patch" ] || { echo "additions: there is no example '$name'" >&2; exit 2; }
  patch -d "$work/source" -p1 --fuzz=0 -s < "$patch" || { echo "additions: $name does not fit" >&2; exit 2; }
  echo "$name: $(said Addition "$name")"
  git apply --stat "$patch"
done
cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DGRAVLAB_CUDA=OFF > "$work/log" 2>&1 &&
  ninja -C "$work/build" -j "${JOBS:-$(nproc)}" gravlab gravlab_extended > "$work/log" 2>&1 || { tail -30 "$work/log" >&2; exit 2; }
gravlab=$work/build/gravlab extended=$work/build/tests/gravlab_extended failed=0
export gravlab extended XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work
for name in "${names[@]}"; do
  output=$(cd "$work" && timeout 300 bash -c "$(said Try "$name")" 2>&1)
  if grep -qE -- "$(said Expect "$name")" <<< "$output"; then
    echo "$name works"
  else
    echo "$name FAILED: expected $(said Expect "$name"), got: $output"
    failed=1
  fi
done
exit $failed
