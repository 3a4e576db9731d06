/**
 * Recall inside one long conversation, in the real call path: LoCoMo's conversations are told turn by turn through the engine, then
 * each question is asked as the user's next words. A question counts if all of its evidence is in what is sent, or in the answer to
 * one `ask` with the question's own words. Each question is asked in a copy of the log, so none changes the next one.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { createContextEngine } from "../../src/agent/openclaw/live.ts";
import { runTool } from "../../src/agent/openclaw/plugin-tools.ts";
import { renderTable } from "../../src/base/text/table.ts";
import { openEngine } from "../../src/engine.ts";
import type { BenchResult } from "../bench-result.ts";
import { type Conversation, readConversations } from "../recall/locomo.ts";
import { OVERHEAD_TOKENS, WINDOW_TOKENS } from "./arms.ts";

const ADVERSARIAL = "5";
const MIN_SHARE = 0.75;
const MINUTE_MS = 60_000;
const TOOLS = ["lcm_grep", "lcm_describe", "lcm_expand", "ask"];

interface Told {
	readonly questions: number;
	readonly seals: number;
	/** Questions with all evidence in what is sent. */
	readonly sent: number;
	/** Those, and the ones that one `ask` answers. */
	readonly found: number;
}

/** `every`: only each so-manieth question of a conversation. */
export async function runQuestionBench(options: {
	readonly file: string;
	readonly every: number;
	readonly onProgress: (what: string) => void;
}): Promise<BenchResult> {
	const told: Told[] = [];
	for (const [nth, conversation] of readConversations(options.file).entries()) {
		options.onProgress(`conversation ${nth + 1}`);
		told.push(await tell(conversation, options.every));
	}
	const sum = (name: keyof Told) => told.reduce((total, each) => total + each[name], 0);
	const share = sum("found") / Math.max(1, sum("questions"));
	return {
		report: { within: share >= MIN_SHARE, share, conversations: told },
		*lines({ dim }) {
			const columns = ["", "questions", "seals", "sent", "sent or one ask"];
			const rowOf = (name: string, { questions, seals, sent, found }: Told) => [
				name,
				String(questions),
				String(seals),
				percent(sent / Math.max(1, questions)),
				percent(found / Math.max(1, questions)),
			];
			const total = { questions: sum("questions"), seals: sum("seals"), sent: sum("sent"), found: sum("found") };
			const rows = [...told.map((each, nth) => rowOf(`conversation ${nth + 1}`, each)), rowOf("all", total)];
			yield* renderTable(
				columns.map((title, at) => ({ title, align: at === 0 ? "left" : "right" }) as const),
				rows,
				{ style: "ruled", paintHead: dim },
			);
			yield "";
			yield `${share >= MIN_SHARE ? "✓" : "✗"} all evidence sent or in one ask: ${percent(share)} (bound ${percent(MIN_SHARE)})`;
		},
	};
}

async function tell({ items, questions }: Conversation, every: number): Promise<Told> {
	const root = mkdtempSync(join(tmpdir(), "weft-questions-"));
	const [cwd, home] = [join(root, "work"), join(root, "home")];
	mkdirSync(cwd);
	const base = { cwd, env: {} };
	const make = ({ readTranscript, now }: HostModel) =>
		createContextEngine({ ...base, home, readTranscript, now: () => now });
	const size = { window: WINDOW_TOKENS, overhead: OVERHEAD_TOKENS, tools: TOOLS, onRequest: () => {} };
	const host = new HostModel({ ...size, make, peer: "whatsapp:direct:alice" });
	try {
		for (let at = 0; at < items.length; at += 2) {
			const [one, other] = [items[at], items[at + 1]];
			host.now = Math.max(host.now + MINUTE_MS, one?.date ?? 0);
			const say = (item: typeof one) => (item ? `${item.heading}: ${item.text}` : "…");
			await host.turn(say(one), [], { answer: say(other) });
		}
		const textOf = new Map(items.map(({ id, text }) => [id, JSON.stringify(text.split("\n")[0]).slice(1, -1)]));
		let [asked, sent, found] = [0, 0, 0];
		for (const [nth, { text, evidence, category }] of questions.entries()) {
			if (category === ADVERSARIAL || nth % every !== 0) continue;
			const copy = join(root, "copy");
			rmSync(copy, { recursive: true, force: true });
			cpSync(home, copy, { recursive: true });
			asked++;
			const engine = createContextEngine({
				...base,
				home: copy,
				readTranscript: host.readTranscript,
				now: () => host.now,
			});
			await engine.bootstrap({ ...host.target, runtimeContext: { tokenBudget: WINDOW_TOKENS } });
			const messages = host.visible(host.rows.length);
			const given = { ...host.ids, messages, prompt: text, tokenBudget: WINDOW_TOKENS / 2, model: "fake-1" };
			const request = JSON.stringify((await engine.assemble({ ...given, availableTools: new Set(TOOLS) })).messages);
			await engine.dispose();
			const isAll = (whole: string) => evidence.every((id) => whole.includes(textOf.get(id) ?? ""));
			if (isAll(request)) sent++;
			const answer = () => runTool("ask", { ...base, home: copy }, host.ids, { question: text }, undefined);
			if (isAll(request) || isAll(request + JSON.stringify((await answer()).content))) found++;
		}
		const log = openEngine({ ...base, home, host: "bench", readOnly: true });
		const seals = [...log.log.read({ types: ["Seal"] })].length;
		log.close();
		return { questions: asked, seals, sent, found };
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
