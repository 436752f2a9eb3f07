# steward-setup script: claude-iso.fish
#
# Source this from ~/.config/fish/config.fish. It defines claude-iso, which
# starts the agent with a clean environment:
#
#   claude-iso [--main-checkout] [ARGUMENTS OF claude]
#   CLAUDE_ISO_ALLOW="GH_TOKEN" GH_TOKEN=... claude-iso

function claude-iso --description 'claude in a clean environment'
    if test -f @BINARY@; and test -s @BINARY@; and test -x @BINARY@
        @BINARY@ iso $argv
        return $status
    end
    # On a host that this file was synced to, the program is in ~/.local/bin; the
    # home is the one that this file lies in, whatever HOME says.
    set -l home (string match -r -g '^(/.*)/\.claude/agent-isolation/claude-iso\.fish$' -- (functions --details claude-iso))
    if test -n "$home"; and test -f $home/.local/bin/steward-setup; and test -s $home/.local/bin/steward-setup; and test -x $home/.local/bin/steward-setup
        $home/.local/bin/steward-setup iso $argv
        return $status
    end
    printf 'claude-iso: steward-setup is missing at %s\n' @BINARY@ >&2
    printf '%s\n' 'claude-iso: put it back and run "steward-setup install"; without a clean environment: command claude' >&2
    return 127
end
