# Starts weft's server: server.sh WEFT ARGS… or server.sh NODE PROGRAM ARGS…
# A hook whose server is not there is an error after each turn. If weft was removed, this script answers in its place: every
# hook passes, and the user hears once in a session that weft is gone.
start() {
	# 'weft init' names it: a quicker start.
	if [ -r "$WEFT_START" ]; then exec sh "$WEFT_START" "$@"; fi
	exec "$@"
}
case $2 in
/*)
	if [ -r "$2" ]; then
		if [ -x "$1" ]; then start "$@"; fi
		# The Node that weft was installed with is gone.
		if node=$(command -v node); then shift; start "$node" "$@"; fi
	fi
	;;
*) if command -v "$1" >/dev/null 2>&1; then start "$@"; fi ;;
esac

says='weft is not installed any more, so nothing of this session is recorded or guarded. Install it again, or remove its plugin with /plugin.'

# True: the user has heard it, maybe in an earlier process of the session, which the message names.
was_told() {
	folder=${CLAUDE_PLUGIN_DATA:-}
	session=$(printf '%s\n' "$1" | sed -n 's/.*"session":"\([0-9A-Za-z-]*\)".*/\1/p')
	if [ -z "$folder" ] || [ -z "$session" ]; then return 1; fi
	[ -e "$folder/told-$session" ] || { mkdir -p "$folder" && : >"$folder/told-$session"; return 1; } 2>/dev/null
}

# One awk for each message: some read ahead, and would answer late.
while IFS= read -r message; do
	is_call=
	case $message in *'"method":"tools/call"'*) is_call=1 ;; esac
	if [ -n "$is_call" ] && [ -n "$says" ] && was_told "$message"; then says=; fi
	printf '%s\n' "$message" | awk -v says="$says" '
	function answer(result) { printf "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result }
	{
		# The id is the last field of a message, or one of the first: texts between may hold others.
		if (match($0, /"id":("[^"]*"|[0-9]+)[}]$/)) id = substr($0, RSTART + 5, RLENGTH - 6)
		else if (match($0, /^[{]("jsonrpc":"2.0",)?"id":("[^"]*"|[0-9]+)/)) { id = substr($0, RSTART, RLENGTH); sub(/^.*"id":/, "", id) }
		else next
		match($0, /"method":"[^"]*"/)
		method = substr($0, RSTART + 10, RLENGTH - 11)
		if (method == "initialize") {
			version = match($0, /"protocolVersion":"[^"]*"/) ? substr($0, RSTART, RLENGTH) : "\"protocolVersion\":\"2025-06-18\""
			answer("{" version ",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"weft\",\"version\":\"0\"}}")
		} else if (method == "tools/list") answer("{\"tools\":[]}")
		else if (method == "tools/call") {
			text = says == "" ? "{}" : "{\\\"systemMessage\\\":\\\"" says "\\\"}"
			answer("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
		} else answer("{}")
	}'
	if [ -n "$is_call" ]; then says=; fi
done
