/**
 * `node scripts/cost-check.ts FILE…`: the cost of recorded sessions of Claude Code, Pi and Codex by the few lines below, from the raw
 * files alone, beside weft's own. Ends with 1 if they differ by a cent.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pricesOf } from "../src/base/tokens/prices.ts";
import { costOfSession } from "../src/context/session-cost.ts";
import { openRecording } from "../src/replay/recording.ts";
import { agentSessions } from "../src/state/session/find-session.ts";

function rawCost(file: string): number {
	const answers = new Map<string, number>();
	let codexModel = "";
	let copied = 0;
	for (const [at, line] of readFileSync(file, "utf8").split("\n").entries()) {
		const { message, timestamp, payload } = parsed(line);
		codexModel = payload?.model ?? codexModel;
		// The file of a fork or a sub-agent begins with its parent's lines, all written in one moment.
		if (payload?.forked_from_id !== undefined) copied = Date.parse(timestamp ?? "") + 1_000;
		const share = Date.parse(timestamp ?? "") < copied ? 0 : 1;
		const counted = payload?.info?.last_token_usage;
		if (counted) {
			const { input_tokens: all, cached_input_tokens: cached, output_tokens: written } = counted;
			const { input, output, read } = tariffOf(codexModel, timestamp, all);
			// Codex repeats a count, after a compaction with another size of the context; its totals then stay the same.
			const total = JSON.stringify(payload.info?.total_token_usage);
			const units = share * (all - cached + cached * read + written * output);
			if (!answers.has(total)) answers.set(total, (units * input) / 1e6);
		}
		const { usage: u, model = "", id } = message ?? {};
		if (!u || model === "<synthetic>") continue;
		const sent = (u.input_tokens ?? 0) + (u.cache_read_input_tokens ?? 0) + (u.cache_creation_input_tokens ?? 0);
		const { input, output, read, write, writeLong } = tariffOf(model, timestamp, sent);
		const long = u.cache_creation?.ephemeral_1h_input_tokens ?? 0;
		const short = (u.cache_creation_input_tokens ?? 0) - long;
		const prompt = (u.input_tokens ?? 0) + (u.cache_read_input_tokens ?? 0) * read + short * write + long * writeLong;
		const dollars = ((prompt + (u.output_tokens ?? 0) * output) * input) / 1e6;
		// The lines of one answer share its id; the last has the final counts.
		answers.set(id ?? String(at), u.cost?.total ?? dollars);
	}
	return [...answers.values()].reduce((sum, each) => sum + each, 0);
}

/** Long prompts have another tariff. */
function tariffOf(model: string, timestamp: string | undefined, promptTokens: number) {
	const prices = pricesOf(model, { at: Date.parse(timestamp ?? "") || 0 });
	return prices.steps?.findLast(({ above }) => promptTokens > above) ?? prices;
}

interface RawLine {
	readonly timestamp?: string;
	/** Of Codex. */
	readonly payload?: {
		readonly model?: string;
		readonly forked_from_id?: string;
		readonly info?: {
			readonly total_token_usage?: unknown;
			readonly last_token_usage?: {
				readonly input_tokens: number;
				readonly cached_input_tokens: number;
				readonly output_tokens: number;
			};
		};
	};
	readonly message?: {
		readonly id?: string;
		readonly model?: string;
		readonly usage?: {
			readonly input_tokens?: number;
			readonly output_tokens?: number;
			readonly cache_read_input_tokens?: number;
			readonly cache_creation_input_tokens?: number;
			readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number };
			readonly cost?: { readonly total: number };
		};
	};
}

function parsed(line: string): RawLine {
	try {
		return JSON.parse(line) as RawLine;
	} catch {
		return {};
	}
}

async function weftCost(file: string): Promise<number> {
	const { log, close } = await openRecording(file);
	try {
		return agentSessions(log).reduce((sum, session) => sum + costOfSession(log, session).dollars, 0);
	} finally {
		close();
	}
}

let [raw, weft] = [0, 0];
for (const file of process.argv.slice(2)) {
	const [theirs, ours] = [rawCost(file), await weftCost(file)];
	[raw, weft] = [raw + theirs, weft + ours];
	const isSame = theirs.toFixed(2) === ours.toFixed(2);
	if (!isSame) process.exitCode = 1;
	console.log(`${basename(file)}  raw $${theirs.toFixed(2)}  weft $${ours.toFixed(2)}${isSame ? "" : "  DIFFERENT"}`);
}
console.log(`all  raw $${raw.toFixed(2)}  weft $${weft.toFixed(2)}`);
