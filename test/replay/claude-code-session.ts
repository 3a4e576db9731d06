/** Converts a session from Pi's format to Claude Code's: one line per block of an answer, results linked to their calls. */

type Json = Record<string, unknown>;

export function asClaudeCode(session: string): string {
	const lines: Json[] = [];
	/** From Pi's id to the uuid of the last line written for it. */
	const last = new Map<string, string>();
	/** From a call to its line. */
	const calls = new Map<string, string>();
	for (const text of session.trimEnd().split("\n")) {
		const entry = JSON.parse(text) as Json;
		const { id, parentId, timestamp } = entry as { id: string; parentId: string | null; timestamp: string };
		const message = (entry["message"] ?? {}) as Json;
		let parent = parentId === null ? null : (last.get(parentId) ?? null);
		const add = (uuid: string, spoken: Json, more: Json = {}) => {
			const base = { sessionId: "made-up", cwd: "/home/dev/made-up", version: "2.0.0", timestamp };
			lines.push({ type: spoken["role"], uuid, parentUuid: parent, ...base, message: spoken, ...more });
			parent = uuid;
			last.set(id, uuid);
		};
		if (entry["type"] === "custom_message") add(id, { role: "user", content: entry["content"] }, { isMeta: true });
		else if (entry["type"] === "compaction")
			add(id, { role: "user", content: entry["summary"] }, { isCompactSummary: true });
		else if (message["role"] === "user") add(id, { role: "user", content: message["content"] });
		else if (message["role"] === "assistant") {
			for (const [at, block] of (message["content"] as Json[]).entries()) {
				const model = message["model"];
				add(`${id}.${at}`, { role: "assistant", id: `msg_${id}`, model, content: [toBlock(block)] });
				if (block["type"] === "toolCall") calls.set(String(block["id"]), `${id}.${at}`);
			}
		} else if (message["role"] === "toolResult") {
			const callId = String(message["toolCallId"]);
			parent = calls.get(callId) ?? parent;
			const result = {
				type: "tool_result",
				tool_use_id: callId,
				content: message["content"],
				is_error: message["isError"],
			};
			add(id, { role: "user", content: [result] });
		}
	}
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function toBlock(block: Json): Json {
	if (block["type"] !== "toolCall") return block;
	return { type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] };
}
