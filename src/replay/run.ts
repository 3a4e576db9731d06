/** Runs a recorded session, request by request, under each mode, and measures what would have gone out. */
import type { Prices } from "../tokens/prices.ts";
import { CostMeter, type Piece } from "./cost.ts";
import type { PlannedRequest } from "./host-mode.ts";
import type { RecordedCall } from "./recording.ts";
import { countSupport, type Demand, demandOf, type SupportCount } from "./support.ts";

export interface Mode {
	plan(call: RecordedCall): PlannedRequest;
}

export interface RequestReport {
	readonly index: number;
	readonly tokens: number;
	readonly units: number;
	readonly read: number;
	readonly broke: boolean;
	readonly reason?: string;
}

export interface ModeReport {
	readonly requests: readonly RequestReport[];
	readonly meanTokens: number;
	readonly maxTokens: number;
	readonly costUnits: number;
	readonly costDollars: number;
	readonly hitShare: number;
	readonly prefixBreaks: number;
	readonly unexplainedBreaks: number;
	readonly editSupport: number;
	readonly pathSupport: number;
	readonly termSupport: number;
	readonly support: SupportCount;
}

export interface RunOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
	readonly onRequest?: (call: RecordedCall, request: PlannedRequest, tokens: number) => void;
}

export function runMode(
	mode: Mode,
	calls: readonly RecordedCall[],
	demands: readonly Demand[],
	options: RunOptions,
): ModeReport {
	const meter = new CostMeter(options.prices, options.fixed);
	const support: SupportCount = { edits: [0, 0], paths: [0, 0], terms: [0, 0] };
	const requests: RequestReport[] = [];
	let summarised = 0;
	let read = 0;
	for (const call of calls) {
		const request = mode.plan(call);
		const pieces: Piece[] = request.messages.map(({ key, tokens, cached }) => ({ key, tokens, cached }));
		const cost = meter.request(pieces, call.answer.ts);
		const text = request.messages.map((message) => message.text).join("\n");
		countSupport(support, demands[call.index]!, (wanted) => text.includes(wanted));
		summarised += request.summarised;
		read += cost.read;
		options.onRequest?.(call, request, cost.tokens);
		requests.push({
			index: call.index,
			tokens: cost.tokens,
			units: cost.units,
			read: cost.read,
			broke: cost.broke,
			...(request.reason === undefined ? {} : { reason: request.reason }),
		});
	}
	const tokens = requests.reduce((sum, request) => sum + request.tokens, 0);
	const costUnits = requests.reduce((sum, request) => sum + request.units, summarised);
	const share = ([held, of]: [number, number]) => (of === 0 ? 1 : held / of);
	return {
		requests,
		meanTokens: tokens / Math.max(1, requests.length),
		maxTokens: Math.max(0, ...requests.map((request) => request.tokens)),
		costUnits,
		costDollars: (costUnits * options.prices.input) / 1e6,
		hitShare: tokens === 0 ? 0 : read / tokens,
		prefixBreaks: requests.filter((request) => request.broke).length,
		unexplainedBreaks: requests.filter((request) => request.broke && request.reason === undefined).length,
		editSupport: share(support.edits),
		pathSupport: share(support.paths),
		termSupport: share(support.terms),
		support,
	};
}

/** What each action relies on, as far as it stood in a message before it on its path. */
export function demandsOf(calls: readonly RecordedCall[]): Demand[] {
	return calls.map((call) => {
		const texts = call.path.flatMap((step) => (step.kind === "message" ? [step.message.text] : []));
		const known = new Map<string, boolean>();
		return demandOf(call.answer, (text) => {
			let found = known.get(text);
			if (found === undefined) {
				found = texts.some((each) => each.includes(text));
				known.set(text, found);
			}
			return found;
		});
	});
}

/** The first recorded prompt less its messages; 3,000 where the recording does not tell. */
export function fixedTokens(calls: readonly RecordedCall[]): number {
	const first = calls.find((call) => call.answer.usage && call.answer.usage.input + call.answer.usage.cacheWrite > 0);
	if (!first?.answer.usage) return 3_000;
	const { input, cacheRead, cacheWrite } = first.answer.usage;
	const messages = first.path.reduce((sum, step) => sum + (step.kind === "message" ? step.message.tokens : 0), 0);
	return Math.max(500, input + cacheRead + cacheWrite - messages);
}
