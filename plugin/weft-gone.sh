# Answers a prompt in Codex if weft was removed: says so once in a session. 'weft init codex' puts it beside weft's data.
session=$(sed -n 's/.*"session_id": *"\([0-9A-Za-z-]*\)".*/\1/p' | head -n 1)
told=${0%/*}/told-$session
if [ -z "$session" ] || [ -e "$told" ]; then exit 0; fi
{ : >"$told"; } 2>/dev/null || exit 0
echo '{"systemMessage":"weft is not installed any more, so nothing of this session is recorded or guarded. Install it again, or remove its hooks from hooks.json with /hooks."}'
