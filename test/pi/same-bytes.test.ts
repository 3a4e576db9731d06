/**
 * What does the model see? One answer, four ways to it: what the planner computed when the request left (its manifest in the
 * log), what replay computes for it, what `weft context --at SEQ --recorded --json` shows, and what reached the wire in the
 * real Pi. Through seals, a change on disk, a manual compaction, a branch with its summary, a mode switch and a resume.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pricesOf } from "../../src/base/tokens/prices.ts";
import { segmentsOf } from "../../src/context/envelope/bytes.ts";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import { lookAt } from "../../src/context/request-at.ts";
import { openEngine } from "../../src/engine.ts";
import type { EventRecord, Payload } from "../../src/log/event/types.ts";
import { toWire } from "../../src/message/wire.ts";
import { openSession } from "../../src/replay/recording.ts";
import { replayRow } from "../../src/replay/requests.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { JUMP_EXTENSION, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { LONG_FILES, workAnswer } from "./long-task.ts";
import { messagesOf } from "./wire.ts";

const WINDOW = 40_000;
const MAIN = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));
/** Decorations of the host, which are not part of a message: `messagesOf` removes these. */
const DECORATIONS = ["cache_control"];
const TARGET = { api: "anthropic-messages", provider: "scripted", model: "anthropic-messages" };

type Mode = "woven" | "warp" | "lossless";
const OTHER: Readonly<Record<Mode, Mode>> = { woven: "lossless", warp: "woven", lossless: "warp" };

/** The whole session. Gives back the requests of the agent, without those that Pi makes for a summary of its own. */
async function work(workspace: PiWorkspace, mode: Mode): Promise<ModelRequest[]> {
	let next = 0;
	let until = 0;
	const script = (request: ModelRequest): ModelAnswer => {
		if (!("tools" in request.json)) return { text: "The branch looked at some parts; none was mended there." };
		return next < until ? workAnswer(next++) : { text: `Done up to step ${next}.` };
	};
	const requests: ModelRequest[] = [];
	const options = { workspace, script, contextWindow: WINDOW, extensions: [WEFT_EXTENSION, JUMP_EXTENSION] };
	const start = (args: readonly string[]) =>
		startPiRpc({
			...options,
			args: ["--thinking", "medium", ...args],
			env: { WEFT_MODE: mode, WEFT_PROFILE: "thrifty" },
		});
	{
		await using pi = await start([]);
		const ask = async (message: string, steps: number) => {
			until = next + steps;
			await pi.prompt(message);
		};
		await ask("Mend the first parts.", 40);
		appendFileSync(join(workspace.project, "src/part-09.txt"), "somebody else was here\n");
		await ask("Go on with the next ones.", 6);
		await pi.command("compact");
		await ask("And two more.", 8);
		const entries = (await pi.command("get_entries")) as { readonly entries: readonly PiEntry[] };
		const answers = entries.entries.filter(({ message }) => message?.role === "assistant");
		await pi.command("prompt", { message: `/jump ${answers.at(-5)!.id} summary` });
		await ask("Try it the other way.", 4);
		await pi.command("prompt", { message: `/weft mode ${OTHER[mode]}` });
		await ask("Now in another mode.", 4);
		await ask("And once more in it.", 2);
		requests.push(...pi.requests);
		const { stderr } = await pi.end();
		assert.equal(stderr, "");
	}
	await using resumed = await start(["--session", sessionFiles(workspace).at(-1)!]);
	until = next + 4;
	await resumed.prompt("Go on where we stopped.");
	requests.push(...resumed.requests);
	return requests.filter(({ json }) => "tools" in json);
}

interface PiEntry {
	readonly id: string;
	readonly message?: { readonly role: string };
}

for (const mode of ["woven", "warp", "lossless"] as const) {
	suite(`the same bytes four times: ${mode}`, { concurrency: false }, () => {
		test("planner, replay, weft context and the wire agree on every request", async () => {
			using workspace = makePiWorkspace({ files: LONG_FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
			const wire = await work(workspace, mode);
			const { project, home } = workspace;
			const engine = openEngine({ cwd: project, host: "test", home, env: {}, readOnly: true });
			try {
				const events = [...engine.log.read()];
				assert.deepEqual(
					events.filter(({ type }) => type === "Fault").map(({ payload }) => payload),
					[],
				);
				const manifests = events.filter(({ type }) => type === "Request");
				assert.equal(manifests.length, wire.length);
				assert.ok(new Set(manifests.map(({ payload }) => payload["mode"])).size === 2, "the mode was switched");
				const kinds = events.filter(({ type }) => type === "Entry").map(({ payload }) => payload["kind"]);
				assert.ok(kinds.includes("branch_summary") && kinds.includes("compaction"));
				const seals = events.filter(({ type }) => type === "Seal").map(({ payload }) => payload["why"]);
				assert.ok(seals.includes("asked"), "compacted by hand");
				// In a window of this size Pi's own threshold comes before our ceiling, and the seal answers it, unless one paid before.
				const isAutomatic = (why: unknown) => why === "host-threshold" || why === "regret";
				if (mode !== "warp") assert.ok(seals.some(isAutomatic), `sealed: ${seals}`);
				const hasLast = ({ payload }: EventRecord) =>
					(payload as Payload<"Request">).segments.some(({ name, bytes }) => name === "uncached" && bytes > 0);
				if (mode === "woven") assert.ok(manifests.some(hasLast), "what changed on disk was said last");
				const session = { session: manifests[0]!.session, host: "pi" };
				const settings = { mode, window: WINDOW, profile: "thrifty" } as const;
				const recording = openSession(engine.history, session);
				const replayed: { readonly messages: readonly unknown[] }[] = [];
				const options = { ...settings, prices: pricesOf(undefined), row: "sent" } as const;
				for await (const { envelope, isAsSent } of replayRow(recording, options)) {
					assert.ok(isAsSent);
					replayed.push({ messages: hostMessages(envelope) });
				}
				assert.equal(replayed.length, wire.length);

				for (const [at, manifest] of manifests.entries()) {
					const seq = answerAfter(events, manifest).seq - 1;
					const look = await lookAt(seq, {
						log: engine.log,
						history: engine.history,
						session,
						settings,
						root: project,
						stateAt: (when) => engine.stateAt(when).state,
					});
					const messages = hostMessages(look.envelope);
					const where = `${mode}, request ${at} of ${wire.length} (${manifest.payload["mode"]}, seq ${seq})`;
					assert.equal(JSON.stringify(replayed[at]!.messages), JSON.stringify(messages), `replay: ${where}`);
					assert.deepEqual(
						toWire(messages, "pi", "anthropic", TARGET).map(asBlocks),
						messagesOf(wire[at]!),
						`wire: ${where}`,
					);
					assert.deepEqual(hashesOf(look.envelope), plannedHashes(manifest), `planner: ${where}`);
					if (at % 23 === 0) {
						const args = ["context", "--at", String(seq), "--recorded", "--session", session.session, "--json"];
						const shown = JSON.parse(weft(workspace, [...args, "--window", String(WINDOW)])) as { messages: unknown };
						assert.equal(JSON.stringify(shown.messages), JSON.stringify(messages), `weft context: ${where}`);
					}
				}
			} finally {
				engine.close();
			}
		});
	});
}

function answerAfter(events: readonly EventRecord[], { seq }: EventRecord): EventRecord {
	return events.find((event) => event.seq > seq && event.type === "Message" && event.payload["role"] === "assistant")!;
}

const SPOKEN = ["seed", "tail", "uncached"];

function plannedHashes({ payload }: EventRecord): unknown {
	const { segments } = payload as Payload<"Request">;
	return segments.filter(({ name }) => SPOKEN.includes(name)).map(({ name, sha256 }) => [name, sha256]);
}

function hashesOf(envelope: Parameters<typeof segmentsOf>[0]): unknown {
	return segmentsOf(envelope)
		.filter(({ name }) => SPOKEN.includes(name))
		.map(({ name, sha256 }) => [name, sha256]);
}

/** A text alone is a block, which is what it means. */
function asBlocks(message: Readonly<Record<string, unknown>>): unknown {
	const { role, content } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly object[]);
	return {
		role,
		content: blocks.map((block) =>
			Object.fromEntries(Object.entries(block).filter(([key]) => !DECORATIONS.includes(key))),
		),
	};
}

function weft({ project, home }: PiWorkspace, args: readonly string[]): string {
	const env = { PATH: process.env["PATH"], HOME: home, WEFT_HOME: home, WEFT_PROFILE: "thrifty" };
	return execFileSync(process.execPath, [MAIN, ...args], {
		cwd: project,
		env,
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
}
