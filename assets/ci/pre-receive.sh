#!/bin/sh
# Save it as hooks/pre-receive in the repository on your server, and make it executable. It accepts a push to main only
# if the checks pass in a clean clone. TENON_TRUST is the hash that `tenon trust` shows.
set -eu
main=refs/heads/main
objects=$(cd objects && pwd)
incoming=$(cd "${GIT_OBJECT_DIRECTORY:-objects}" && pwd)
# Git keeps new objects apart until the push is accepted, and tells its commands by these variables where they are.
unset GIT_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH
while read -r old new ref; do
  [ "$ref" = "$main" ] || continue
  case $new in *[!0]*) ;; *) continue ;; esac
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  git init -q "$work"
  printf '%s\n' "$incoming" "$objects" > "$work/.git/objects/info/alternates"
  git -C "$work" checkout -q --detach "$new"
  (cd "$work" && tenon ci --run --trust "$TENON_TRUST" --since "$old")
  rm -rf "$work"
done
