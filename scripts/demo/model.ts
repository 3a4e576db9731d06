/**
 * The scripted model of the demonstration, step by step. Its last answers come from the results of its tools. Before one step
 * a colleague changes a file behind its back.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";

export interface Step {
	/** Printed for the person who watches. */
	readonly what: string;
	/** Runs just before the answer: a change from outside. */
	readonly meanwhile?: (project: string) => void;
	readonly answer: (request: ModelRequest) => ModelAnswer;
}

/** The user's prompt and the model's steps, request by request. */
export interface Run {
	readonly prompt: string;
	readonly steps: readonly Step[];
}

const TEST = "node --test";
const QUOTE = "src/quote.js";
const CALENDAR = "src/calendar.js";

const REPAIR: readonly Step[] = [
	run("looks around", "git ls-files && cat package.json README.md"),
	run("runs the tests", TEST),
	{
		what: `reads ${QUOTE} and its test`,
		answer: () => ({
			text: "Two tests fail. I read the code that they test.",
			toolCalls: [call("read", { path: QUOTE }), call("read", { path: "test/quote.test.js" })],
		}),
	},
	read("src/tariff.js"),
	read("src/zones.js"),
	{
		...edit(QUOTE, "Math.floor(grams / 1000);", "Math.ceil(grams / 1000);"),
		meanwhile: (project) => {
			const file = join(project, QUOTE);
			const text = readFileSync(file, "utf8");
			writeFileSync(
				file,
				text.replace("Math.floor(grams / 1000);", "Math.trunc(grams / 1000); // what is over is free"),
			);
		},
	},
	edit(
		QUOTE,
		"Math.trunc(grams / 1000); // what is over is free",
		"Math.ceil(grams / 1000); // a started one counts",
		"with what a colleague just wrote",
	),
	run("runs the tests again", TEST),
	{
		what: "writes down a decision",
		answer: () => ({
			toolCalls: [
				call("decide", { decision: "A started kilogram counts as a whole one", rationale: "the first test says so" }),
			],
		}),
	},
	read(CALENDAR),
	edit(CALENDAR, "includes(day - 1)", "includes(day + 1)", "guesses wrong"),
	run("sees it fail", TEST),
	edit(CALENDAR, "includes(day + 1)", "includes(day)"),
	run("sees it pass", TEST),
	say("Both faults are repaired: kilograms are rounded up, and closed days are compared as they are counted."),
];

const WRITE: readonly Step[] = [
	read("src/tariff.js"),
	run("looks at the depots", "cat src/zones.js"),
	run("looks at the calendar", "head -n 300 src/calendar.js"),
	{
		what: "writes docs/prices.md",
		answer: () => ({
			toolCalls: [
				call("write", {
					path: "docs/prices.md",
					content:
						"# Prices\n\n| kg | zone 1 |\n|---|---|\n| 1 | 4.00 |\n| 20 | 32.50 |\n\nBy rail: D-003, D-006, D-009.\n",
				}),
			],
		}),
	},
	run("checks everything again", `${TEST} && git status --short`),
	say("docs/prices.md is written and the tests pass."),
];

const RECALL: readonly Step[] = [
	{
		what: "searches the whole history with lcm_grep",
		answer: () => ({ toolCalls: [call("lcm_grep", { query: "\\d+ !== \\d+", mode: "regex", scope: "messages" })] }),
	},
	{
		what: "fetches the first run, byte for byte, with lcm_expand",
		answer: (request) => ({ toolCalls: [call("lcm_expand", { summary_id: oldestRun(lastResult(request)) })] }),
	},
	{
		what: "answers",
		answer: (request) => {
			const lines = [...lastResult(request).matchAll(/\d+ !== \d+/g)].map(([line]) => line);
			return { text: `The first run said: ${[...new Set(lines)].join(" and ") || "nothing that I could find"}.` };
		},
	},
];

/** The user says it once, in the first message. */
export const RULE = "the tables are right, leave them alone";

export const RUNS: readonly Run[] = [
	{ prompt: `The tests fail. Find out why and repair it; ${RULE}.`, steps: REPAIR },
	{
		prompt:
			"Good. Now write docs/prices.md: what 1 kg and 20 kg cost in zone 1, and which of the first ten depots go by rail.",
		steps: WRITE,
	},
	{ prompt: "One more thing: what did the very first test run complain about, word for word?", steps: RECALL },
];

/** The oldest tool result among the hits, by its place in the log. */
function oldestRun(hits: string): string {
	const found = [...hits.matchAll(/\b(m-[0-9a-f]{12}) \(toolResult.*?, seq (\d+)/g)];
	const [oldest] = found.sort(([, , one], [, , other]) => Number(one) - Number(other));
	return oldest?.[1] ?? "none";
}

/** The text of the newest tool result on the wire. */
export function lastResult({ json }: ModelRequest): string {
	const messages = json["messages"] as { content: string | { type: string; content?: unknown }[] }[];
	const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
	const result = blocks.findLast(({ type }) => type === "tool_result")?.content;
	if (typeof result === "string") return result;
	return ((result ?? []) as { text?: string }[]).map(({ text }) => text ?? "").join("");
}

function run(what: string, command: string): Step {
	return { what: `${what}: ${command}`, answer: () => ({ toolCalls: [call("bash", { command })] }) };
}

function read(path: string): Step {
	return { what: `reads ${path}`, answer: () => ({ toolCalls: [call("read", { path })] }) };
}

function edit(path: string, oldText: string, newText: string, why?: string): Step {
	return {
		what: `edits ${path}${why ? `, ${why}` : ""}`,
		answer: () => ({ toolCalls: [call("edit", { path, edits: [{ oldText, newText }] })] }),
	};
}

function say(text: string): Step {
	return { what: "answers", answer: () => ({ text }) };
}

let calls = 0;

function call(name: string, args: Readonly<Record<string, unknown>>) {
	return { id: `call_${++calls}`, name, args };
}
