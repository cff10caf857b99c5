# Shared by the tests of an installation: $scratch, an empty folder outside the source tree; $prefix in it,
# where a test installs; and the steps of a user. Each test is called as NAME BUILD CONFIG.
set -euo pipefail

build=$(realpath "$1") config=$2
root=$(realpath "$(dirname "$0")/../..")
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"
unset DESTDIR

fail() { echo "FAILED: $*" >&2; exit 1; }

install_it() {
  cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || fail "$(<"$scratch/install.log")"
  # Code compiled with debug information contains the names of its sources.
  local kinds=text
  [[ $config == Release ]] || kinds=without-match
  ! grep -rlF --binary-files="$kinds" -e "$root" -e "$build" "$prefix" || fail "these name a folder of the build"
}

# Takes the folder of a project, in which it creates a folder `build`.
build_project() {
  cmake -S "$1" -B "$1/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  ! grep -e -Werror -e -Wconversion "$1/build/compile_commands.json" || fail "our flags are not for users"
  cmake --build "$1/build" --parallel 2
}

uninstall_it() { make --no-print-directory -C "$root" uninstall PREFIX="$prefix"; }

launch() { "$prefix/bin/trireme" launch --logs "$scratch/logs" "$@"; }
