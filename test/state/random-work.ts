/** Records of a made-up session, as odd as they come, for properties. */
import fc from "fast-check";
import type { EventRecord } from "../../src/log/event/types.ts";

const paths = fc.constantFrom(
	"src/a.ts",
	"b.md",
	"lib/ünï/満潮.ts",
	"__proto__",
	"/etc/hosts",
	`${"very/".repeat(40)}long.ts`,
);
const texts = fc.oneof(
	fc.string({ unit: "binary", maxLength: 60 }),
	fc.string({ maxLength: 2_000 }),
	fc.constant("Fix src/a.ts and b.md"),
);
const counts = fc.nat(500);
const commands = fc.constantFrom(
	"npm test",
	"pytest -q tests/a.py",
	"go test ./...",
	`node -e '${"x".repeat(1_500)}'`,
	"ls",
);
const outputs = fc.oneof(
	texts,
	fc.nat(99).map((n) => `FAILED tests/a.py::test_${n} - AssertionError: ${n} != ${n + 1}\n1 failed in 0.1s`),
	fc.nat(9).map((n) => `Error: number ${n} of many\n    at f (src/a.ts:${n}:1)`),
);
const calls = fc.record({
	tool: fc.constantFrom("read", "edit", "bash", "__proto__"),
	callId: fc.constantFrom("c1", "c2", "c3"),
});
const hashes = fc.option(fc.constantFrom("a".repeat(64), "b".repeat(64)), { nil: undefined });

const events = fc.oneof(
	fc.record({
		type: fc.constant("SessionStarted"),
		payload: fc.record({ cwd: fc.constantFrom("/p", "/p/sub"), root: fc.constant("/p") }),
	}),
	fc.record({ type: fc.constant("UserIntent"), payload: fc.record({ text: texts }) }),
	fc.record({
		type: fc.constant("Decision"),
		payload: fc.record({ text: texts, rationale: texts, supersedes: counts }),
	}),
	fc.record({
		type: fc.constant("FileRead"),
		payload: fc.tuple(paths, counts, counts, hashes, calls).map(([path, from, more, fileHash, of]) => ({
			path,
			from: from + 1,
			to: from + more,
			sliceHash: "c".repeat(64),
			fileHash,
			...of,
		})),
	}),
	fc.record({
		type: fc.constant("FileChanged"),
		payload: fc.tuple(paths, counts, texts, hashes, calls).map(([path, added, text, hash, of]) => ({
			path,
			kind: "edit",
			added,
			removed: added % 3 === 0 ? null : 1,
			diff: `@@ -3,1 +3,2 @@\n x\n+${text}\n`,
			hash,
			actor: (["agent", "shell", "other"] as const)[added % 3],
			...of,
		})),
	}),
	fc.record({ type: fc.constantFrom("ToolCalled", "ToolResult"), payload: calls }),
	fc.record({
		type: fc.constant("RepoMap"),
		payload: fc.record({
			head: fc.constantFrom(null, "abcdef0123"),
			files: counts,
			folders: fc.constant([]),
			extensions: fc.constant([]),
		}),
	}),
	fc.record({
		type: fc.constant("Verdict"),
		payload: fc.tuple(paths, texts, calls).map(([path, reason, of]) => ({
			verdict: "block",
			rule: "read-first",
			mode: "enforce",
			reason,
			path,
			...of,
		})),
	}),
	fc.record({ type: fc.constant("Hologram"), payload: fc.constant({}) }),
	fc.tuple(commands, fc.constantFrom(0, 1, null), outputs).map(([command, exit, output]) => ({
		type: "run",
		payload: { command, exit, output },
	})),
);

/** At least one run of a command is a message and the event that it caused. */
export const randomWork: fc.Arbitrary<EventRecord[]> = fc
	.array(fc.tuple(events, fc.constantFrom("one", "two", "__proto__")), { maxLength: 80, size: "max" })
	.map((list) => {
		const records: EventRecord[] = [];
		const add = (session: string, type: string, payload: object, cause: number | null): void => {
			const seq = records.length + 1;
			const fields = {
				seq,
				id: `id${seq}`,
				origin: "o",
				session,
				host: "pi",
				ts: seq * 1_000,
				v: 1,
				cause,
				entry: `e${seq}`,
			};
			records.push({ ...fields, type, payload: JSON.parse(JSON.stringify(payload)) as EventRecord["payload"] });
		};
		for (const [{ type, payload }, session] of list) {
			if (type !== "run") {
				add(session, type, payload, null);
				continue;
			}
			const { command, exit, output } = payload as { command: string; exit: number | null; output: string };
			const content = [{ type: "text", text: output }];
			const message = { role: "toolResult", toolCallId: "run", toolName: "bash", content, isError: exit !== 0 };
			add(session, "Message", { role: "toolResult", form: "pi", raw: { type: "message", message } }, null);
			const size = { chars: output.length, lines: 1 };
			add(session, "CommandRun", { command, exit, by: "agent", tool: "bash", callId: "run", ...size }, records.length);
		}
		return records;
	});
