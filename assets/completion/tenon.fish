# Completion of tenon for fish. For one shell:
#   tenon completion fish | source
# For every shell:
#   tenon completion fish > ~/.config/fish/completions/tenon.fish

function __tenon_complete
    set -l before (commandline -opc)
    # The word under the cursor may have a quote that is still open.
    set -l typed (commandline -ct | string replace -ra '["\'\\\\]' '')
    set -l candidates (tenon __complete $before[2..-1] "$typed" 2>/dev/null)
    if set -q candidates[1]
        printf '%s\n' $candidates
    else
        # Where Tenon has no answer, file names are offered.
        __fish_complete_path "$typed"
    end
end

complete -c tenon -f -a '(__tenon_complete)'
