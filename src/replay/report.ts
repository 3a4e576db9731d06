/**
 * `weft replay`: runs a recorded session, request by request, through the planner that also works live, in each mode and
 * as the host alone, and reports what the requests would have cost and contained. It stores nothing and calls no model.
 */

import { hash } from "node:crypto";
import { readerOf } from "../agent/agents.ts";
import { type PriceList, type Prices, pricesOf } from "../base/tokens/prices.ts";
import type { SealPolicy, SealSetting } from "../context/seal/policy.ts";
import type { Profile } from "../context/seal/rule.ts";
import { type CostSums, sumUsage } from "../context/session-cost.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { History } from "../state/history/history.ts";
import type { HistorySettings } from "../state/history/types.ts";
import { EVERYONE } from "../state/session/scope.ts";
import { readUsage } from "../state/session/usage-fold.ts";
import { lcmExpand } from "../tool/expand.ts";
import { type BilledUsage, countBilledUsage } from "./billed-usage.ts";
import { demandsOf } from "./demands.ts";
import { type Exam, ExamGrader, type ExamReport } from "./exam.ts";
import { FailedEditResults } from "./failed-edit-results.ts";
import { sumTokens, windowFor } from "./host-facts.ts";
import { besideHost, type ModeReport, measureRequests } from "./mode-report.ts";
import { type ClassReport, classFigures, READ_CLASSES, withRead } from "./price-classes.ts";
import type { Recording } from "./recording.ts";
import { hasSent, type ReplayedRequest, ROWS, type RowName, ranWithWeft, replayRow, tailRequests } from "./requests.ts";
import { type Sweep, sweepThresholds } from "./threshold-sweep.ts";
import { countVerdicts, type Verdicts } from "./verdicts.ts";

export interface ReplayOptions {
	/** All rows by default; `sent` only where the log has requests of weft. */
	readonly rows?: readonly RowName[] | undefined;
	/** The model that answered most often in the recording by default. */
	readonly model?: string | undefined;
	/** Prices of models from the settings. */
	readonly prices?: PriceList | undefined;
	/** The default window or the largest recorded prompt, unless given. */
	readonly window?: number | undefined;
	readonly profile: Profile;
	/** When weft seals; by price by default, and where it is `auto`. */
	readonly seal?: SealSetting | undefined;
	readonly sealShare?: number | undefined;
	readonly warpPer?: "run" | "request" | undefined;
	readonly maxSummaryTokens?: number | undefined;
	/** How messages that leave the context are summarised. */
	readonly summaries?: Partial<HistorySettings> | undefined;
	/** Also replay `woven` and `host` at each price of reading, where both are among the rows. */
	readonly classes?: boolean | undefined;
	/** Also try every fixed threshold. */
	readonly sweep?: boolean | undefined;
	/** Questions on what the requests must hold. */
	readonly exam?: Exam | undefined;
	/** Receives every request as it would be sent. */
	readonly onRequest?: ((row: RowName, request: ReplayedRequest, tokens: number) => void) | undefined;
	readonly onProgress?: ((what: string, done: number, total: number) => void) | undefined;
}

export interface ReplayReport {
	/** The agent that recorded the session. */
	readonly host: string;
	readonly sessions: readonly string[];
	readonly model: string | null;
	readonly prices: Prices;
	readonly window: number;
	readonly profile: Profile;
	/** Undefined: by price. */
	readonly seal?: SealPolicy | undefined;
	/** Tokens of the system prompt and tools in every request. */
	readonly fixedTokens: number;
	/** The session began before the file. */
	readonly startMissing: boolean;
	/** How long the provider caches a request, in ms. */
	readonly cacheLifetime: number;
	/** Real tokens per estimated token, by the recorded prompts. */
	readonly tokensPerEstimate: number;
	/** Lines of the file that could not be read. */
	readonly malformed: number;
	readonly modes: Readonly<Partial<Record<RowName, ModeReport>>>;
	/** Empty: not asked for. */
	readonly classes: readonly ClassReport[];
	readonly billed: BilledUsage;
	/** Then `billed` is the cost with weft. */
	readonly ranWithWeft: boolean;
	readonly recovered: MessageRecovery;
	readonly verdicts: Verdicts;
	readonly sweep?: Sweep | undefined;
	/** How each row answers the exam. */
	readonly exam?: Readonly<Partial<Record<RowName, ExamReport>>> | undefined;
}

/** The rows that make sense for this recording: `plain` differs only where the host fixes results, `sent` needs weft. */
function rowsFor(recording: Recording): RowName[] {
	const isShortened = readerOf(recording.sessions[0]?.host)?.shortensResults;
	return ROWS.filter((name) => (name !== "sent" || hasSent(recording)) && (name !== "plain" || !isShortened));
}

export async function replaySession(recording: Recording, options: ReplayOptions): Promise<ReplayReport> {
	const report = options.onProgress ?? (() => {});
	const { calls, log, sessions, malformed } = recording;
	const { fixedTokens, startMissing, cacheLifetime, tokensPerEstimate } = recording;
	const { profile, sealShare, warpPer, maxSummaryTokens, summaries, onRequest } = options;
	const seal = options.seal === "auto" || options.seal === "thrift" ? undefined : options.seal;
	const window = windowFor(recording, options.window);
	const model = options.model ?? recording.model ?? null;
	const listed = options.prices ?? {};
	const prices = options.model === undefined ? recording.pricesIn(listed) : pricesOf(options.model, { listed });
	const demands = demandsOf(recording);
	const common = { prices, window, profile, seal, sealShare, warpPer, maxSummaryTokens, summaries };
	const measured = { fixedTokens, cacheLifetime, demands };
	const modes: Partial<Record<RowName, ModeReport>> = {};
	const grader = options.exam && new ExamGrader(options.exam, recording);
	const exam: Partial<Record<RowName, ExamReport>> = {};
	const held: Partial<Record<RowName, boolean[]>> = {};
	/** Tokens of woven's messages, by request. */
	const sizes: number[] = [];
	const rows = options.rows ?? rowsFor(recording);
	for (const row of rows) {
		if (row === "tail") continue;
		const graded = grader?.start();
		const own: boolean[] = [];
		held[row] = own;
		modes[row] = await measureRequests(replayRow(recording, { ...common, row }), {
			...measured,
			failing: new FailedEditResults(log),
			held: own,
			prices,
			onRequest: (request, tokens) => {
				report(row, request.call.index + 1, calls.length);
				if (row === "woven") sizes[request.call.index] = tokensOf(request);
				graded?.add(request);
				onRequest?.(row, request, tokens);
			},
		});
		if (graded) exam[row] = graded.report();
	}
	if (rows.includes("tail")) {
		if (sizes.length === 0) {
			const requests = replayRow(recording, { ...common, row: "woven" });
			for await (const request of requests) sizes[request.call.index] = tokensOf(request);
		}
		held.tail = [];
		modes.tail = await measureRequests(tailRequests(recording, sizes), {
			...measured,
			failing: new FailedEditResults(log),
			held: held.tail,
			prices,
			onRequest: ({ call }) => report("tail", call.index + 1, calls.length),
		});
	}
	const measureAt = async (row: "woven" | "host", read: number): Promise<ModeReport> => {
		const known = read === prices.read ? modes[row] : undefined;
		if (known) return known;
		const classed = withRead(prices, read);
		const onRequest = ({ call }: ReplayedRequest) => report(`${row}, reads at ${read}`, call.index + 1, calls.length);
		const requests = replayRow(recording, { ...common, prices: classed, row });
		return measureRequests(requests, { ...measured, failing: new FailedEditResults(log), prices: classed, onRequest });
	};
	const classes: ClassReport[] = [];
	for (const read of options.classes && modes.woven && modes.host ? READ_CLASSES : []) {
		const [woven, host] = [await measureAt("woven", read), await measureAt("host", read)];
		classes.push({ read, woven: classFigures(woven), host: classFigures(host) });
	}
	const onSweep = (done: number, total: number) => report("trying thresholds", done, total);
	const sweep = options.sweep
		? await sweepThresholds(recording, { ...common, demands, onProgress: onSweep })
		: undefined;
	report("fetching every message back", 0, 1);
	const recovered = await recoverMessages(log, sessions);
	return {
		host: sessions[0]?.host ?? "",
		sessions: sessions.map(({ session }) => session),
		model,
		prices,
		window,
		profile,
		...(seal && { seal }),
		fixedTokens,
		startMissing,
		cacheLifetime,
		tokensPerEstimate,
		malformed,
		modes: compared(modes, held),
		classes,
		billed: countBilledUsage(calls, { prices, cacheLifetime, cost: costOf(recording, listed, options.model) }),
		ranWithWeft: ranWithWeft(recording),
		recovered,
		verdicts: countVerdicts(recording),
		...(sweep ? { sweep } : {}),
		...(grader ? { exam } : {}),
	};
}

function tokensOf({ envelope: { messages } }: ReplayedRequest): number {
	return sumTokens([...messages.cached, ...messages.uncached]);
}

/** In the order of the table, each compared with the host. */
function compared(
	modes: Partial<Record<RowName, ModeReport>>,
	held: Partial<Record<RowName, readonly boolean[]>>,
): Partial<Record<RowName, ModeReport>> {
	return Object.fromEntries(
		ROWS.flatMap((row) => {
			const mode = modes[row];
			return mode ? [[row, held.host ? besideHost(mode, held[row] ?? [], held.host) : mode]] : [];
		}),
	);
}

/** What the sessions cost; with `model`, what they would have cost with it. */
function costOf({ log, sessions }: Recording, prices: PriceList, model: string | undefined): CostSums {
	const rows = sessions.flatMap((session) => readUsage(log, { session, prices }));
	return sumUsage(rows.map((row) => ({ ...row, prices, ...(model !== undefined && { model, cost: null }) })));
}

interface MessageRecovery {
	readonly messages: number;
	/** Messages that came back with the same SHA-256. */
	readonly recovered: number;
	readonly bytes: number;
	readonly recoveredBytes: number;
	readonly share: number;
}

/** More pages of one message than this mean that the tool loops. */
const MAX_PAGES = 100_000;
const PAGE_TOKENS = 8_000;

/** Fetches every message of a session back with the model's own tool, page by page, and compares the hashes. */
export async function recoverMessages(log: Log, sessions: readonly SessionRef[]): Promise<MessageRecovery> {
	const history = new History(log);
	const counts = { messages: 0, recovered: 0, bytes: 0, recoveredBytes: 0 };
	for (const of of sessions) {
		for (const record of log.read({ session: of.session, host: of.host, types: ["Message"] })) {
			const { seq } = record;
			const original = Buffer.from(log.rawText(seq) ?? log.getStored(seq)?.text ?? "", "utf8");
			const fetched = await fetchMessage(history, of, handleOf(record));
			counts.messages++;
			counts.bytes += original.length;
			if (hash("sha256", fetched, "hex") !== hash("sha256", original, "hex")) continue;
			counts.recovered++;
			counts.recoveredBytes += original.length;
		}
	}
	return { ...counts, share: counts.bytes === 0 ? 1 : counts.recoveredBytes / counts.bytes };
}

/** As a model would read it: the text between the first and the last line of each page. */
async function fetchMessage(history: History, session: SessionRef, handle: string): Promise<Buffer> {
	const pages: Buffer[] = [];
	let offset: number | undefined = 0;
	for (let page = 0; offset !== undefined && page < MAX_PAGES; page++) {
		const args = { summary_id: handle, max_tokens: PAGE_TOKENS, offset };
		const answer = await lcmExpand.run({ history, session, scope: EVERYONE, now: 0 }, args);
		if (answer.isError) break;
		const body = answer.text.slice(answer.text.indexOf("\n") + 1, answer.text.lastIndexOf("\n"));
		pages.push(Buffer.from(body, answer.details["encoding"] === "base64" ? "base64" : "utf8"));
		offset = answer.details["next"] as number | undefined;
	}
	return Buffer.concat(pages);
}
