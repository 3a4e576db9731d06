#!/bin/sh
# Starts weft for an agent: weft-start.sh NODE PROGRAM ARGS… or weft-start.sh weft ARGS… If that Node is gone, another one. Its MCP
# server is a small process of Perl where the project's resident runs, and Node elsewhere.
program=$2
case $program in
/*) [ -x "$1" ] || { node=$(command -v node) || exit 127; shift; set -- "$node" "$@"; } ;;
*)
	program=$(command -v "$1") || exit 127
	link=$(readlink "$program")
	case $link in
	/*) program=$link ;;
	?*) program=${program%/*}/$link ;;
	esac
	;;
esac
for last; do :; done
relay=${program%/*/*/*/*}/plugin/weft-mcp.pl
if [ "$last" = mcp ] && [ "$WEFT_RESIDENT_SECONDS" != 0 ] && [ -r "$relay" ] && command -v perl >/dev/null 2>&1; then
	PERL5OPT= exec perl -C0 "$relay" "$PWD" "$program" "$@"
fi
exec "$@"
