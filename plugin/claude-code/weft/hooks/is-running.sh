# Says once in a session that weft's server does not run. The server writes its process id here.
folder=${CLAUDE_PLUGIN_DATA:-}
session=${CLAUDE_CODE_SESSION_ID:-}
if [ -z "$folder" ] || [ -z "$session" ]; then exit 0; fi
pid=$(cat "$folder/server-$session" 2>/dev/null)
if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then exit 0; fi
if [ -e "$folder/told-$session" ]; then exit 0; fi
mkdir -p "$folder" 2>/dev/null && : >"$folder/told-$session" || exit 0
echo '{"systemMessage":"weft: its server does not run, so nothing of this session is recorded or guarded. weft doctor says why."}'
