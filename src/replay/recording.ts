/** A recorded session as a list of model calls, each with what stood before it. Read from a log, host by host alike. */
import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log/log.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { asObject, asText } from "../transcript/json.ts";
import { type CallBlock, type MessageView, type Usage, viewMessage } from "../transcript/message.ts";
import { countImages, IMAGE_TOKENS, type WireMessage, wireMessages, wireText } from "../transcript/wire.ts";

/** A message of the recording. One answer of the model is one, even where the host wrote it as several lines. */
export interface RecordedMessage {
	readonly seq: number;
	readonly entry: string;
	readonly ts: number;
	readonly role: string;
	readonly wire: readonly WireMessage[];
	readonly text: string;
	readonly tokens: number;
	readonly calls: readonly CallBlock[];
	readonly usage?: Usage;
	readonly model?: string;
	readonly injected: boolean;
}

export interface RecordedCall {
	/** Ordinal of the model call, from 0, in the order of the file. */
	readonly index: number;
	readonly answer: RecordedMessage;
	/** Entries on the path to it, oldest first: what the host's history held. */
	readonly path: readonly PathStep[];
}

export type PathStep =
	| { readonly kind: "message"; readonly message: RecordedMessage }
	| {
			readonly kind: "compaction";
			readonly seq: number;
			readonly summary: string;
			readonly firstKept: string | undefined;
	  };

interface Node {
	readonly parent: string | undefined;
	readonly step: PathStep | undefined;
}

/** Reads the calls of a session; side chains are sessions of their own and do not count. */
export function readCalls(log: Log, session: string): RecordedCall[] {
	const nodes = new Map<string, Node>();
	const answers: { entry: string; message: RecordedMessage }[] = [];
	const merged = mergeAnswers(log, session);
	for (const { entry, parent, step } of merged) {
		nodes.set(entry, { parent, step });
		if (step?.kind === "message" && step.message.role === "assistant") answers.push({ entry, message: step.message });
	}
	const paths = new Map<string, readonly PathStep[]>();
	return answers.map(({ entry, message }, index) => ({
		index,
		answer: message,
		path: pathBefore(entry, nodes, paths),
	}));
}

/** The steps before an entry. An answer's own path is remembered: what follows it starts from there. */
function pathBefore(
	entry: string,
	nodes: ReadonlyMap<string, Node>,
	known: Map<string, readonly PathStep[]>,
): readonly PathStep[] {
	const steps: PathStep[] = [];
	let prefix: readonly PathStep[] = [];
	for (let at = nodes.get(entry)?.parent; at !== undefined; ) {
		const node = nodes.get(at);
		if (node?.step) steps.push(node.step);
		const before = known.get(at);
		if (before) {
			prefix = before;
			break;
		}
		at = node?.parent;
	}
	const path = [...prefix, ...steps.reverse()];
	known.set(entry, path);
	return path;
}

interface Merged {
	readonly entry: string;
	readonly parent: string | undefined;
	readonly step: PathStep | undefined;
}

/**
 * The session's entries, in order. Claude Code writes one answer as several lines of one message id, with tool results
 * between them: the lines become one answer at the place of the first, and the results follow it.
 */
function mergeAnswers(log: Log, session: string): Merged[] {
	const list: Merged[] = [];
	const byId = new Map<string, { at: number; records: EventRecord[] }>();
	for (const record of log.read({ session, types: ["Message", "Entry"] })) {
		const entry = record.entry ?? `e-${record.seq}`;
		const parent = asText(record.payload["parent"]);
		if (record.type === "Entry") {
			list.push({ entry, parent, step: compactionOf(record) });
			continue;
		}
		const id = answerId(record);
		const first = id === undefined ? undefined : byId.get(id);
		if (first) {
			first.records.push(record);
			const { entry: at, parent: before } = list[first.at]!;
			list[first.at] = { entry: at, parent: before, step: { kind: "message", message: readMessage(first.records) } };
			list.push({ entry, parent, step: undefined });
			continue;
		}
		if (id !== undefined) byId.set(id, { at: list.length, records: [record] });
		list.push({ entry, parent, step: { kind: "message", message: readMessage([record]) } });
	}
	return list;
}

/** Only hosts in Anthropic's form split an answer; elsewhere one entry is one answer. */
function answerId(record: EventRecord): string | undefined {
	if (record.payload["form"] !== "anthropic" || record.payload["role"] !== "assistant") return undefined;
	return asText(asObject(asObject(record.payload["raw"])?.["message"])?.["id"]);
}

function readMessage(records: readonly EventRecord[]): RecordedMessage {
	const views = records.map((record) => viewMessage(record.payload));
	const first = records[0]!;
	const view: MessageView = views[0]!;
	const wire = joinAnswers(records.flatMap((record, n) => wireMessages(record.payload, views[n]!)));
	const text = wire.map(wireText).join("\n");
	const usage = views.findLast((each) => each.usage)?.usage;
	const images = wire.reduce((sum, message) => sum + countImages(message.content), 0);
	return {
		seq: first.seq,
		entry: first.entry ?? `e-${first.seq}`,
		ts: first.ts,
		role: view.role,
		wire,
		text,
		tokens: estimateTokens(text) + images * IMAGE_TOKENS,
		calls: views.flatMap((each) => each.blocks.filter((block) => block.kind === "call")),
		...(usage ? { usage } : {}),
		...(view.model === undefined ? {} : { model: view.model }),
		injected: view.injected ?? false,
	};
}

function joinAnswers(wire: readonly WireMessage[]): WireMessage[] {
	const answers = wire.filter((message) => message.role === "assistant");
	if (answers.length < 2) return [...wire];
	return [{ role: "assistant", content: answers.flatMap((answer) => answer.content) }];
}

function compactionOf(record: EventRecord): PathStep | undefined {
	const raw = asObject(record.payload["raw"]);
	if (record.payload["kind"] !== "compaction" || !raw) return undefined;
	const firstKept = asText(raw["firstKeptEntryId"]);
	return { kind: "compaction", seq: record.seq, summary: asText(raw["summary"]) ?? "", firstKept };
}
