# Completion of tenon for bash. For this shell, or for good when put into ~/.bashrc:
#   source <(tenon completion bash)
# Bash 3.2, which macOS has, cannot source that way. There it is:
#   eval "$(tenon completion bash)"

_tenon() {
  local words=() line=${COMP_LINE-} rest word typed before i
  # Bash splits at = and : too. What stands together on the line, up to the cursor, is one word again.
  # Quotes are taken off; nothing in the words is run.
  line=${line:0:${COMP_POINT:-0}}
  rest=$line
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ -z $line || $i -eq 0 || $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      words+=("")
    fi
    word=${COMP_WORDS[i]}
    [[ -z $line || $i -lt $COMP_CWORD ]] || word=$rest
    rest=${rest#"$word"}
    words[${#words[@]} - 1]+=${word//[\"\'\\]/}
  done

  # Readline replaces only what follows the last = or :, so candidates lose what stands before it.
  typed=${words[${#words[@]} - 1]}
  before=
  [[ $typed != *"${2-$typed}" ]] || before=${typed%"${2-$typed}"}
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -z $word ]] || COMPREPLY+=("${word#"$before"}")
  done < <(tenon __complete "${words[@]:1}" 2>/dev/null)
}

# Where Tenon has no answer, file names are offered.
complete -o default -F _tenon tenon
