/**
 * `npm run bench -- ask --data FILE`: how many questions about recorded sessions get their answer in one call of `ask`. FILE names
 * projects, each with its sessions, and questions with the words that the answer must hold. The words of the question itself do not
 * count, nor does the line that says what was searched.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { itemsForUser } from "../src/agent/live/recall-block.ts";
import { answerQuestion, renderAnswer } from "../src/ask/answer.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { asList, asObject, asText } from "../src/base/json/read.ts";
import { renderTable } from "../src/base/text/table.ts";
import type { Engine } from "../src/engine.ts";
import { EVERYONE } from "../src/state/session/scope.ts";
import type { BenchResult } from "./bench-result.ts";
import { importProject } from "./recall/commits.ts";

const MIN_SHARE = 0.9;

interface AskedItem {
	readonly project: string;
	readonly kind: string;
	readonly question: string;
	/** Each of them must be in the answer. */
	readonly must: readonly string[];
	readonly agent: string | undefined;
	readonly path: string | undefined;
}

interface AskedProject {
	readonly sessions: readonly string[];
	/** When the questions are asked, ms since the epoch. */
	readonly now: number;
}

interface MissedItem extends AskedItem {
	readonly missing: readonly string[];
	readonly answer: string;
}

export interface AskReport {
	readonly within: boolean;
	readonly right: number;
	readonly asked: number;
	readonly byKind: Readonly<Record<string, { readonly right: number; readonly asked: number }>>;
	readonly missed: readonly MissedItem[];
}

export async function runAskBench(file: string, onProgress: (what: string) => void): Promise<BenchResult> {
	const report = await measureAsk(file, onProgress);
	return {
		report,
		*lines({ dim }) {
			const columns = ["", "right", "asked"].map(
				(title, at) => ({ title, align: at === 0 ? "left" : "right" }) as const,
			);
			const rows = Object.entries({ ...report.byKind, all: report }).map(([kind, { right, asked }]) => [
				kind,
				String(right),
				String(asked),
			]);
			yield* renderTable(columns, rows, { style: "ruled", paintHead: dim });
			yield "";
			for (const { question, missing } of report.missed) yield `✗ ${question} (missing: ${missing.join(", ")})`;
		},
	};
}

export async function measureAsk(file: string, onProgress: (what: string) => void): Promise<AskReport> {
	const { projects, items } = readItems(file);
	const missed: MissedItem[] = [];
	for (const [name, { sessions, now }] of projects) {
		onProgress(name);
		const home = mkdtempSync(join(tmpdir(), "weft-bench-"));
		const { engine } = await importProject(home, sessions, (text) => text);
		try {
			for (const item of items.filter(({ project }) => project === name)) {
				const answer = answerTo(engine, item, now);
				const missing = item.must.filter((words) => !plain(answer).includes(plain(words)));
				if (missing.length > 0) missed.push({ ...item, missing, answer });
			}
		} finally {
			engine.close();
			rmSync(home, { recursive: true, force: true });
		}
	}
	const byKind = [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, { length }]) => {
		const wrong = missed.filter((item) => item.kind === kind).length;
		return [kind, { right: length - wrong, asked: length }] as const;
	});
	const [right, asked] = [items.length - missed.length, items.length];
	return { within: right / asked >= MIN_SHARE, right, asked, byKind: Object.fromEntries(byKind), missed };
}

function answerTo(engine: Engine, { question, agent, path }: AskedItem, now: number): string {
	const sources = {
		log: engine.log,
		session: undefined,
		scope: EVERYONE,
		state: () => engine.state().state,
		memory: (words: string) => itemsForUser(engine, words),
		root: engine.project.root,
		now,
	};
	const answer = answerQuestion(sources, { question, agent, path });
	return renderAnswer({ ...answer, searched: "" }, { more: "" });
}

function plain(text: string): string {
	return text.toLowerCase().replace(/\s+/g, " ");
}

function readItems(file: string) {
	const data = asObject(JSON.parse(readFileSync(file, "utf8")));
	const projects = new Map(
		Object.entries(asObject(data?.["projects"]) ?? {}).map(([name, value]): [string, AskedProject] => {
			const fields = asObject(value);
			const sessions = asList(fields?.["sessions"]).flatMap((path) => asText(path) ?? []);
			const now = Date.parse(asText(fields?.["now"]) ?? "");
			return [name, { sessions: sessions.map((path) => resolve(dirname(file), path)), now }];
		}),
	);
	const items = asList(data?.["items"]).flatMap((value): AskedItem[] => {
		const fields = asObject(value);
		const text = (name: string) => asText(fields?.[name]);
		const must = asList(fields?.["must"]).flatMap((words) => asText(words) ?? []);
		const [project = "", kind = "", question = ""] = ["project", "kind", "question"].map(text);
		return [{ project, kind, question, must, agent: text("agent"), path: text("path") }];
	});
	const unfair = items.find(
		({ question, must, project }) =>
			must.length === 0 ||
			!projects.has(project) ||
			must.some((words) => plain(words) === "" || plain(question).includes(plain(words))),
	);
	if (items.length === 0 || unfair) {
		const which = unfair ? `'${unfair.question}' ` : "";
		throw new EngineError(
			"usage",
			`${file}: ${which}needs a project with sessions, and words that the answer must hold and the question does not.`,
		);
	}
	return { projects, items };
}
