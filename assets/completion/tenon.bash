# Completion of tenon for bash. Type this for one shell, or add it to ~/.bashrc for every shell:
#   source <(tenon completion bash)
# Bash 3.2, the version of macOS, cannot do that. There, use:
#   eval "$(tenon completion bash)"

_tenon() {
  local words=() line=${COMP_LINE-} rest word typed before i
  # Bash also splits at = and :. This joins the parts of a word up to the cursor again.
  # It removes quotes, and runs nothing in the words.
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
