/** `npm run bench -- NAME`: measures weft on this machine, as ratios. A checkout has it; the package does not. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { EngineError } from "../src/base/error/engine-error.ts";
import {
	flag,
	longName,
	type OptionValues,
	readOneOf,
	readOptions,
	text,
	wholeNumber,
} from "../src/show/cli/options.ts";
import { Output } from "../src/show/cli/output.ts";
import { runReported } from "../src/show/cli/run.ts";
import { type BenchName, runBench } from "./run.ts";

/** The benchmarks, with their descriptions. */
const BENCHMARKS: Readonly<Record<BenchName, string>> = {
	agents:
		"what weft adds to the real Codex, Claude Code and opencode: processor time of the whole agent, compared with the agent alone, and time per step; one hook, and the start of 'weft mcp' ('--agent hook'). Needs a build, and the agents ('npm run fetch:agents')",
	ask: "how many questions about recorded sessions get their answer in one call of ask; needs --data",
	chat: "a month of talk in OpenClaw: cost, facts in view, disk and processor time per turn, beside the host's own engine by its rule; with --data how often a long conversation's evidence is sent, or in one answer of ask",
	feedback:
		"recorded sessions as tasks of a scripted agent that edits from what it is sent: failed edits, reads that were not needed, requests and cost of the agent alone, woven, lossless and the newest messages",
	fleet:
		"shipping, compared with a bare COPY of the same rows; search, compared with the bare ranked query; and an append while the server is away. Needs PostgreSQL installed",
	grep: "a search over 1,000 sessions in 20 projects, compared with the bare queries",
	history: "planning and assembling a long history, compared with a short one",
	import:
		"made-up sessions of each agent, one file of lines or many of at most 16 MB, compared with JSON.parse of its texts, for a database with a bare SELECT before it, and the memory that it takes",
	log: "append, read, search and open, compared with bare SQLite",
	pi: "what weft adds to a request in Pi, compared with one JSON.stringify of its messages, and the processor time of the real Pi with and without weft",
	proofs: "whether what the thread calls done and proved holds in the files, over a folder of recorded sessions",
	proxy: "time to the first byte of an answer, compared with a bare proxy, and memory over many requests",
	public:
		"the README's tables for a folder of recorded sessions: cost by price class, edits, names, recall, and with --exam what one must know to go on",
	recall:
		"the ranking among 10,000 items, compared with a bare FTS5 query; with --data how often it finds the turns that answer a question, or the session that made a commit; with --session how often it finds where a term was seen before, with and without each ingredient",
	replay: "the replay of the shipped session, and whether long sessions stay as cheap to plan",
	rewind:
		"whether files rebuilt from a folder of recorded sessions are what the agent saw next; with --random whether everything comes back after random destructive commands",
	session: "one session among fifty, and imports",
	state: "one more event, opening from a snapshot, and a full fold",
};

const OPTIONS = {
	events: wholeNumber(
		"--events <n>",
		"for pi and state: size of the long log (default 100000); for fleet: events to search (default 1000000)",
	),
	mb: wholeNumber("--mb <n>", "for import: megabytes of each format (default 8)"),
	agent: text("--agent <name>", "for import: only this agent's format; for agents: only this agent, by its title"),
	requests: wholeNumber(
		"--requests <n>",
		"for replay: length of the long session (default 5000); for proxy: requests for its memory (1000); for chat: turns of the month (1500), with --data: one question of so many",
	),
	load: flag(
		"--load",
		"for log: eight processes append, one searches, one prunes; the worst append, and the WAL's size",
	),
	data: text(
		"--data <file>",
		"for ask: projects with sessions and questions; for recall: conversations with questions, in LoCoMo's format; a .jsonl file, also for rewind: commits with the sessions that made them",
	),
	session: text("--session <file>", "for recall: a recorded session to mine questions from"),
	exam: text("--exam <folder>", "for public: exams, NAME.json for a session NAME.jsonl"),
	aside: wholeNumber("--aside <n>", "for public: every nth session was kept aside, and is shown apart too"),
	random: wholeNumber(
		"--random <n>",
		"for rewind: so many random destructive commands, one in ten among 50000 files, in place of a folder",
	),
	json: flag("--json", "machine-readable output"),
};

type BenchOptions = OptionValues<typeof OPTIONS>;

/** The option that sets the size of a benchmark, and its minimum. */
const SIZES: Partial<Record<BenchName, { readonly option: "events" | "requests" | "mb"; readonly min: number }>> = {
	chat: { option: "requests", min: 1 },
	fleet: { option: "events", min: 10_000 },
	import: { option: "mb", min: 1 },
	pi: { option: "events", min: 10_000 },
	proxy: { option: "requests", min: 100 },
	replay: { option: "requests", min: 1_000 },
	state: { option: "events", min: 2_000 },
};

const NAMES = Object.keys(BENCHMARKS) as BenchName[];

export function benchProgram(): Command {
	const program = new Command("bench")
		.description("Measure weft on this machine, as ratios.")
		.argument("<name>", NAMES.join(", "))
		.argument(
			"[file]",
			"for log and session: a recorded session to weigh or to import; without it, a made-up one. For feedback, proofs, public and rewind: a folder of sessions",
		)
		.addHelpText("after", `\n${NAMES.map((name) => `${name}: ${BENCHMARKS[name]}.`).join("\n")}`)
		.configureOutput({ writeErr: () => {} })
		.exitOverride();
	for (const { flags, description } of Object.values(OPTIONS)) program.option(flags, description);
	return program.action((name: string, file: string | undefined, given: Readonly<Record<string, unknown>>) =>
		bench(readOneOf("bench", name, NAMES) ?? "log", file, readOptions(OPTIONS, given, Date.now())),
	);
}

async function bench(name: BenchName, file: string | undefined, options: BenchOptions): Promise<void> {
	refuseUnclear(name, file, options);
	const { load, agent, json } = options;
	const [transcript, data, exams] = [file ?? options.session, options.data, options.exam].map(existing);
	const size = SIZES[name] && options[SIZES[name].option];
	const out = new Output({ json, color: true });
	const onProgress = (doing: string) => out.talk(out.paintTalk("dim", `${doing} …`));
	const { report, lines, remark } = await runBench(name, {
		transcript,
		data,
		exams,
		asideEvery: options.aside,
		size: options.random ?? size,
		load,
		agent,
		onProgress,
	});
	if (json) return out.document(report);
	await out.lines(lines({ width: out.columns, dim: (words) => out.paint("dim", words) }));
	if (remark !== undefined) out.talk(remark);
}

function refuseUnclear(name: BenchName, file: string | undefined, options: BenchOptions): void {
	const refuse = (message: string) => {
		throw new EngineError("usage", message);
	};
	const { data, session, agent, load } = options;
	for (const option of ["events", "requests", "mb"] as const) {
		const { min, option: taken } = SIZES[name] ?? { min: 0, option: undefined };
		const given = options[option];
		if (given === undefined) continue;
		if (taken !== option) refuse(`'bench ${name}' does not take ${longName(OPTIONS[option].flags)}.`);
		if (given < min) refuse(`--${option} takes a whole number, at least ${min}, not '${given}'.`);
	}
	const takesFolder = name === "feedback" || name === "proofs" || name === "public" || name === "rewind";
	if (options.random !== undefined && (name !== "rewind" || file !== undefined || options.random < 1))
		refuse("--random takes a whole number, for 'bench rewind' without a folder.");
	if (takesFolder && file === undefined && options.random === undefined)
		refuse(`'bench ${name}' takes a folder of recorded sessions.`);
	if ((options.exam !== undefined || options.aside !== undefined) && name !== "public")
		refuse("--exam and --aside are for 'bench public'.");
	if (options.aside !== undefined && options.aside < 2) refuse("--aside takes a whole number, at least 2.");
	if (file !== undefined && name !== "log" && name !== "session" && !takesFolder)
		refuse(`'bench ${name}' does not take a session file. log and session do.`);
	if (session !== undefined && name !== "recall") refuse("--session is for 'bench recall'.");
	if (data !== undefined && !["ask", "chat", "recall", "rewind"].includes(name))
		refuse("--data is for 'bench ask', 'bench recall', 'bench chat' and 'bench rewind'.");
	if (data === undefined && name === "ask") refuse("'bench ask' takes --data with a file of questions.");
	if (data !== undefined && session !== undefined) refuse("Use --data or --session, not both.");
	if (agent !== undefined && name !== "import" && name !== "agents")
		refuse("--agent is for 'bench import' and 'bench agents'.");
	if (load && (name !== "log" || file !== undefined)) refuse("--load is for 'bench log', without a session file.");
}

/** npm runs scripts in the checkout; a path is meant from the caller's folder. */
function existing(path: string | undefined): string | undefined {
	if (path === undefined) return undefined;
	const found = resolve(process.env["INIT_CWD"] ?? process.cwd(), path);
	if (existsSync(found)) return found;
	throw new EngineError("not-found", `${path}: no such file.`);
}

if (import.meta.main) {
	const args = process.argv.slice(2);
	process.exitCode = await runReported(args, () => benchProgram().parseAsync(args, { from: "user" }));
}
