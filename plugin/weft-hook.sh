#!/bin/sh
# Answers a hook of an agent: weft-hook.sh NODE PROGRAM [--home FOLDER] hook AGENT, with the hook's message on standard input.
# Starting Node takes longer than answering, so a process that stays (docs/codex.md) answers; Perl starts in a millisecond and
# passes the message to it. Without Perl, Node does. An agent never waits for a weft that was removed, or for a Node that is gone.
[ -x "$1" ] || { node=$(command -v node) || exit 0; shift; set -- "$node" "$@"; }
[ -r "$2" ] || exit 0
client=${0%.sh}.pl
if [ "$WEFT_RESIDENT_SECONDS" != 0 ] && [ -r "$client" ] && command -v perl >/dev/null 2>&1; then
	PERL5OPT= exec perl -C0 "$client" "$@"
fi
exec "$@"
