#compdef tenon
# Completion of tenon for zsh. In ~/.zshrc, after compinit:
#   source <(tenon completion zsh)
# Or once, into a folder of $fpath that exists before compinit runs:
#   tenon completion zsh > "${fpath[1]}/_tenon"

_tenon() {
  local -a candidates
  candidates=(${(f)"$(tenon __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"})
  if (( $#candidates )); then
    compadd -a candidates
  else
    # Where Tenon has no answer, file names are offered.
    _files
  fi
}

if [[ ${funcstack[1]} == _tenon ]]; then
  _tenon "$@"
elif (( $+functions[compdef] )); then
  compdef _tenon tenon
else
  print -u2 "tenon: completion needs compinit first: autoload -Uz compinit && compinit"
fi
