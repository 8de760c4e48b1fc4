//! The completion scripts. Each script passes the words of the command line and the index of the word to complete to
//! `silkit complete`, and offers the returned candidates, or files for `:files`.

/// The script for Bash, which splits words at `=` and `:` and does not quote candidates.
pub(super) const BASH: &str = r#"_silkit() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default
            COMPREPLY=()
            return
        fi
        line=${line%%$'\t'*}
        if [[ ${COMP_WORDS[COMP_CWORD]} != [\'\"]* && $line == *[[:space:]\'\"\$\(\)\<\>\|\&\;]* ]]; then
            line=$(printf '%q' "$line")
        fi
        COMPREPLY+=("$line")
    done < <(silkit complete "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -F _silkit silkit sil-opt sil-nm sil-func-extractor
"#;

pub(super) const ZSH: &str = r#"#compdef silkit sil-opt sil-nm sil-func-extractor
_silkit() {
    local line
    local -a texts shown
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            _files
            return
        fi
        texts+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/ -- }")
    done < <(silkit complete $((CURRENT - 1)) "${words[@]}" 2>/dev/null)
    compadd -l -d shown -a texts
}
if [ "$funcstack[1]" = "_silkit" ]; then
    _silkit "$@"
else
    compdef _silkit silkit sil-opt sil-nm sil-func-extractor
fi
"#;

pub(super) const FISH: &str = r#"function __silkit_complete
    set -l words (commandline -opc)
    set -l found (silkit complete (count $words) $words (commandline -ct) 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $found
    end
end
for name in silkit sil-opt sil-nm sil-func-extractor
    complete -c $name -f -a '(__silkit_complete)'
end
"#;

pub(super) const POWERSHELL: &str = r#"Register-ArgumentCompleter -Native -CommandName silkit,sil-opt,sil-nm,sil-func-extractor -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
    if ($word -eq '') { $words += '' }
    $found = @(silkit complete ($words.Count - 1) @words 2>$null)
    if ($found.Count -eq 0 -or $found[0] -eq ':files') { return }
    $found | ForEach-Object {
        $text, $help = $_ -split "`t", 2
        if (-not $help) { $help = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
    }
}
"#;

pub(super) const ELVISH: &str = r#"set edit:completion:arg-completer[silkit] = {|@words|
    var found = [(silkit complete (- (count $words) 1) $@words 2>/dev/null)]
    if (and (> (count $found) 0) (eq $found[0] :files)) {
        edit:complete-filename $words[-1]
    } else {
        for line $found {
            var parts = [(str:split "\t" $line)]
            put $parts[0]
        }
    }
}
"#;
