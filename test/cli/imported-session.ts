/** A session of Claude Code that ran without weft: a cold pause, a compaction, and a last request that only adds. */

export const IMPORTED_SESSION = "0b9e1c52-4d3f-4a18-9c55-7f6d2ab4e301";

/** Prompts of the five requests, as reported: read, written. */
export const IMPORTED_USAGE = [
	[0, 20_000],
	[20_000, 1_500],
	[0, 23_000],
	[9_000, 5_000],
	[14_000, 400],
] as const;

const START = Date.parse("2026-02-03T09:00:00Z");
/** Minutes after the start at which each was answered. */
const MINUTES = [1, 2, 21, 22, 23];

/** The lines of its file. */
export function importedSession(cwd: string): object[] {
	const lines: object[] = [];
	let parent: string | null = null;
	const add = (minute: number, of: object) => {
		const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, "0")}`;
		const timestamp = new Date(START + minute * 60_000).toISOString();
		const base = { parentUuid: parent, isSidechain: false, cwd, sessionId: IMPORTED_SESSION, version: "2.1.0" };
		lines.push({ ...base, uuid, timestamp, ...of });
		parent = uuid;
	};
	for (const [at, [read, write]] of IMPORTED_USAGE.entries()) {
		const minute = MINUTES[at] ?? 0;
		if (at === 3) {
			const compactMetadata = { trigger: "auto", preTokens: 23_004 };
			add(minute - 0.4, {
				type: "system",
				subtype: "compact_boundary",
				content: "Conversation compacted",
				compactMetadata,
			});
			const content = "This session is being continued. Summary: the harbour tables were sorted.";
			add(minute - 0.3, { type: "user", isCompactSummary: true, message: { role: "user", content } });
		} else add(minute - 0.5, { type: "user", message: { role: "user", content: `Sort harbour table ${at + 1}` } });
		const usage = {
			input_tokens: 4,
			cache_creation_input_tokens: write,
			cache_read_input_tokens: read,
			output_tokens: 50,
		};
		const content = [{ type: "text", text: `Table ${at + 1} is sorted. ${"It has many rows. ".repeat(20)}` }];
		const model = "claude-opus-4-5-20251101";
		add(minute, {
			type: "assistant",
			message: { id: `msg_${at}`, type: "message", role: "assistant", model, content, usage },
		});
	}
	return lines;
}
