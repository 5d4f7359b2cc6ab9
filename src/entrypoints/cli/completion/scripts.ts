/*
 * Scripts that pass the command line up to the cursor to `avatarops completion SHELL LINE`. Its output is `files` or
 * `folders`, which the shell completes, or `words` with one candidate per line.
 */

/** Script for bash 3.2 (macOS) or later. Bash splits words at `=`. */
const bash = `# Completion of avatarops for bash
_avatarops() {
  local IFS=$'\\n' lines current="\${COMP_WORDS[COMP_CWORD]}"
  [[ $current == = ]] && current=''
  lines=($(avatarops completion bash "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  COMPREPLY=()
  [[ \${lines[0]} == words ]] || compopt -o filenames 2>/dev/null
  case "\${lines[0]}" in
    files) COMPREPLY=($(compgen -f -- "$current")) ;;
    folders) COMPREPLY=($(compgen -d -- "$current")) ;;
    *) COMPREPLY=("\${lines[@]:1}") ;;
  esac
}
complete -F _avatarops avatarops
`;

/** Script for zsh: a file in a folder of `$fpath`, or sourced after `compinit`. */
const zsh = `#compdef avatarops
_avatarops() {
  local -a lines
  lines=("\${(@f)$(avatarops completion zsh "\${words[1,CURRENT]}" 2>/dev/null)}")
  [[ $words[CURRENT] == -*=* ]] && compset -P '*='
  case $lines[1] in
    files) _files ;;
    folders) _files -/ ;;
    *)
      shift lines
      _describe avatarops lines
      ;;
  esac
}
if [[ $funcstack[1] == _avatarops ]]; then
  _avatarops
else
  compdef _avatarops avatarops
fi
`;

const fish = `# Completion of avatarops for fish
function __avatarops_complete
    set -l lines (avatarops completion fish (commandline -cp | string collect) 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $lines[2..-1]
    end
end
complete -c avatarops -f -a '(__avatarops_complete)'
`;

/** Script for PowerShell 5.1 or later. PowerShell removes double quotes from arguments. */
const powershell = `# Completion of avatarops for PowerShell
Register-ArgumentCompleter -Native -CommandName avatarops -ScriptBlock {
  param($word, $ast, $position)
  $end = $position - $ast.Extent.StartOffset
  $line = $ast.Extent.Text.PadRight($end).Substring(0, $end) -replace '"', "'"
  $kind, $lines = @(avatarops completion powershell $line 2>$null)
  if ($kind -ne 'words') {
    $option, $start = $word -split '(?<=^--[\\w-]+=)', 2
    if ($null -eq $start) { $option, $start = '', $word }
    Get-ChildItem -Path "$start*" -Directory:($kind -eq 'folders') | ForEach-Object {
      $found = $option + (Join-Path (Split-Path "$start*") $_.Name)
      if ($found -match '\\s') { $found = "'$found'" }
      [System.Management.Automation.CompletionResult]::new($found, $_.Name, 'ProviderItem', $_.FullName)
    }
    return
  }
  $lines | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (!$description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}
`;

export const scripts = { bash, zsh, fish, powershell } as const;

export type CompletionShell = keyof typeof scripts;
