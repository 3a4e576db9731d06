/**
 * The head: every tool that weft gives a model, and weft's words about them in the system prompt. It is the first part of each
 * request, so one changed byte makes the provider write the whole conversation again. Tools, order and words are therefore the
 * same in every agent and mode, from a project's first request to its last. A tool that has nothing to answer says so in a
 * sentence.
 *
 * This is the one list: a new tool goes to its end. The code of a tool loads with its first call, because agents list the tools
 * while they start.
 */
import {
	DEFAULT_EXPAND_TOKENS,
	DEFAULT_GREP_RESULTS,
	GREP_MODES,
	GREP_SCOPES,
	HISTORY_SECTIONS,
	MAX_EXPAND_TOKENS,
	refusal,
	type Tool,
	type ToolAnswer,
	type ToolRunner,
} from "./types.ts";

/** No tool has a use for more: an answer may repeat an argument. */
const MAX_ARGUMENT_CHARS = 4_000;

/** A tool's runner that is loaded when it is first needed. */
function loaded(load: () => Promise<ToolRunner>): ToolRunner {
	return {
		run: async (context, args) => {
			const answer = longArgument(args) ?? (await (await load()).run(context, args));
			if (!answer.isError) return answer;
			// A refusal may repeat an argument, and models repeat what they have read.
			const { disarmTags } = await import("../message/enclosure.ts");
			return { ...answer, text: disarmTags(answer.text) };
		},
	};
}

function longArgument(args: Readonly<Record<string, unknown>>): ToolAnswer | undefined {
	for (const [name, value] of Object.entries(args)) {
		if (typeof value !== "string" || value.length <= MAX_ARGUMENT_CHARS) continue;
		const what = `The argument '${name.slice(0, 40)}' has ${value.length} characters`;
		return refusal("bad-argument", `${what}; at most ${MAX_ARGUMENT_CHARS} are allowed.`);
	}
	return undefined;
}

/** All tools that an agent gives its model. */
export const TOOLS: readonly Tool[] = [
	{
		name: "lcm_grep",
		label: "LCM Search",
		description: "Search all that was said and done, also what has left the conversation. Gives snippets with ids.",
		promptSnippet: "Search all conversation history (including compacted)",
		promptGuidelines: [],
		parameters: {
			type: "object",
			required: ["query"],
			properties: {
				query: { type: "string", description: "Words, or a regular expression (no lookaround)" },
				mode: { type: "string", enum: GREP_MODES, default: "text" },
				scope: { type: "string", enum: GREP_SCOPES },
				limit: { type: "number", default: DEFAULT_GREP_RESULTS },
				after: { type: "string", description: "ISO time" },
				before: { type: "string" },
				full: { type: "boolean", description: "Whole messages" },
				session: { type: "string", description: 'Id of another session, or "all"' },
				next: { type: "number", description: "As the last answer named it" },
			},
		},
		...loaded(async () => (await import("./grep.ts")).lcmGrep),
	},
	{
		name: "lcm_describe",
		label: "LCM Describe",
		description: "List the summaries of what has left the conversation, or read one.",
		promptSnippet: "Get summaries of conversation sections",
		promptGuidelines: [],
		parameters: {
			type: "object",
			required: ["section"],
			properties: {
				section: { type: "string", enum: HISTORY_SECTIONS },
				summary_id: { type: "string", description: "For by_id" },
			},
		},
		...loaded(async () => (await import("./describe.ts")).lcmDescribe),
	},
	{
		name: "lcm_expand",
		label: "LCM Expand",
		description:
			"Get back exactly what an id names: s- a summary's sources, m- a message, b- an output, e- an event. In pages.",
		promptSnippet: "Drill into compressed summaries to recover original details",
		promptGuidelines: [],
		parameters: {
			type: "object",
			required: ["summary_id"],
			properties: {
				summary_id: { type: "string", description: "The id" },
				depth: { type: "number", description: "Levels of a summary" },
				max_tokens: { type: "number", description: `${DEFAULT_EXPAND_TOKENS}, at most ${MAX_EXPAND_TOKENS}` },
				offset: { type: "number", description: "To read on: as the last answer named it" },
			},
		},
		...loaded(async () => (await import("./expand.ts")).lcmExpand),
	},
	{
		name: "decide",
		label: "Decide",
		description:
			"Record a choice, a constraint or what the user settled, so that later work respects it. It stays in view.",
		promptSnippet: "Record a decision, or replace one that no longer holds",
		promptGuidelines: ["Use decide when a choice is made that later work must respect."],
		parameters: {
			type: "object",
			required: ["decision"],
			properties: {
				decision: { type: "string", description: "One or two sentences" },
				rationale: { type: "string" },
				supersedes: { type: "string", description: "Id (e-...) of the decision it replaces" },
			},
		},
		writes: true,
		...loaded(async () => (await import("./decide.ts")).decide),
	},
	{
		name: "recall",
		label: "Recall",
		description: "Ask this project's memory and earlier sessions, before you ask the user what may be settled there.",
		promptSnippet: "Ask the project's memory and earlier sessions",
		promptGuidelines: [],
		parameters: {
			type: "object",
			required: ["query"],
			properties: { query: { type: "string" } },
		},
		...loaded(async () => (await import("./recall.ts")).recall),
	},
	{
		name: "thread",
		label: "Thread",
		description:
			"List what the user asked, the rules, corrections and decisions that hold, what is done with proof, open and next.",
		promptSnippet: "List what was asked, what holds, what is done, open and next",
		promptGuidelines: [],
		parameters: { type: "object", required: [], properties: {} },
		...loaded(async () => (await import("./thread.ts")).thread),
	},
	{
		name: "ask",
		label: "Ask",
		description:
			"Ask in plain words about this project's sessions: decisions, rules, errors, runs, changes, why a line is as it is, what is open.",
		promptSnippet: "Ask what was decided, changed, run, said or left open",
		promptGuidelines: ["Use ask for a question about earlier work, lcm_grep for an exact text."],
		parameters: {
			type: "object",
			required: ["question"],
			properties: {
				question: { type: "string" },
				after: { type: "string", description: "ISO time, or a span back (2d)" },
				before: { type: "string" },
				agent: { type: "string" },
				session: { type: "string" },
				path: { type: "string", description: "FILE, FOLDER/ or FILE:LINE" },
			},
		},
		...loaded(async () => (await import("./ask.ts")).ask),
	},
	{
		name: "rewind",
		label: "Rewind",
		description:
			"List the moments to which lost or overwritten files can go back, or show one. Names the command for the user.",
		promptSnippet: "Find lost or overwritten files",
		promptGuidelines: [],
		parameters: {
			type: "object",
			required: [],
			properties: {
				file: { type: "string" },
				to: { type: "string", description: "A moment's number" },
				before: { type: "string", description: "Part of a command" },
			},
		},
		...loaded(async () => (await import("./rewind.ts")).rewind),
	},
];

/** The tools that text in the context names: without them a handle leads nowhere. */
export const HISTORY_TOOLS: readonly Tool[] = TOOLS.filter(({ name }) => name.startsWith("lcm_"));

const LOOK_THERE = `Before you say that you do not know something from earlier, or do the work again,
find it with lcm_grep and fetch it with lcm_expand.`;

/** For agents whose system prompt takes a section of ours. No counts, no times, nothing of the session. */
export const HISTORY_PREAMBLE = `

## Lossless history

Nothing that was said or done is gone, also where it has left the conversation.
${LOOK_THERE}`;

/** For agents that put the words of an MCP server into their prompt. */
export const MCP_INSTRUCTIONS = `weft records this project's sessions: nothing that was said or done is gone.
${LOOK_THERE}`;
