/**
 * A recorded session: its log and its model calls. A file is imported into a temporary home, which is deleted when the
 * recording is closed; a session of a project's log is read in place.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READERS } from "../agent/agents.ts";
import { importFile } from "../agent/recorded/import.ts";
import { EngineError } from "../base/error/engine-error.ts";
import type { PriceList, Prices } from "../base/tokens/prices.ts";
import { type AnsweredCall, mainModel, mainPrices, type RecordedCall, readCalls } from "../context/model-calls.ts";
import { type Path, PathReader } from "../context/path.ts";
import { PatchList } from "../context/session-patches.ts";
import { openEngine } from "../engine.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { collectWords } from "../message/dialect/content.ts";
import type { Usage } from "../message/usage.ts";
import { type CallBlock, viewMessage } from "../message/view.ts";
import type { History } from "../state/history/history.ts";
import { agentSessions, scopeOf, sessionsNamed } from "../state/session/find-session.ts";
import { type RaisedUsage, readRaised, trueUsage } from "../state/session/raised-usage.ts";
import type { Tree } from "../state/session/tree.ts";
import { type HostFacts, readHostFacts } from "./host-facts.ts";

export interface Recording extends HostFacts {
	readonly log: Log;
	readonly history: History;
	/** Shared by all rows, so that each path is read once. */
	readonly reader: PathReader;
	readonly sessions: readonly SessionRef[];
	/** The ids of the sessions and their side chains, whose events count. */
	readonly scope: readonly string[];
	readonly calls: readonly ModelCall[];
	/** The model that answered most often; undefined: the answers name none. */
	readonly model: string | undefined;
	/** The prices of that model: from the recording, else from the settings, else from our table. */
	readonly pricesIn: (listed: PriceList) => Prices;
	/** Lines that could not be read. */
	readonly malformed: number;
	readonly close: () => void;
}

/** A model call and its answer. */
export interface ModelCall extends RecordedCall {
	/** The number of the call in the order of the log, from 0. */
	readonly index: number;
	readonly answer: RecordedAnswer;
	/** The call does not continue the one before it in the log. */
	readonly isJump: boolean;
}

export interface RecordedAnswer {
	readonly seq: number;
	readonly ts: number;
	/** The text of the answer and of its arguments, without thinking. */
	readonly said: string;
	readonly calls: readonly CallBlock[];
	readonly usage: Usage | undefined;
	readonly model: string | undefined;
}

export interface RecordingOptions {
	readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
	/** Only this session of a file with several, by the start of its id. */
	readonly session?: string | undefined;
}

export async function openRecording(file: string, { session, onProgress }: RecordingOptions = {}): Promise<Recording> {
	const home = mkdtempSync(join(tmpdir(), "weft-replay-"));
	const engine = openEngine({ cwd: home, home, host: "replay", env: {}, trusted: false });
	const close = () => {
		engine.close();
		rmSync(home, { recursive: true, force: true });
	};
	try {
		const { log, history } = engine;
		const { malformedCount } = await importFile(file, {
			readers: READERS,
			logFor: () => ({
				append: (events) => log.append(events, { packed: true }),
				read: (query) => log.read(query),
				putBlob: (bytes) => log.putBlob(bytes),
			}),
			onProgress,
		});
		const all = agentSessions(log).sort((one, other) => one.first_ts - other.first_ts);
		const sessions = session === undefined ? mainSessions(all) : [sessionNamed(session, all, file)];
		return readRecording(history, sessions, { name: file, malformed: malformedCount, close });
	} catch (error) {
		close();
		throw error;
	}
}

/** A session of an open log: nothing is copied or written. */
export function openSession(history: History, session: SessionRef): Recording {
	return readRecording(history, [session], { name: session.session, malformed: 0, close: () => {} });
}

function readRecording(
	history: History,
	sessions: readonly SessionRef[],
	{ name, ...rest }: { readonly name: string } & Pick<Recording, "malformed" | "close">,
): Recording {
	const { log, tree } = history;
	const answered = readCalls(log, tree, sessions);
	const calls = toModelCalls(answered, tree, readRaised(log));
	if (calls.length === 0) {
		throw new EngineError("not-found", `${name} has no model call: there is nothing to replay.`);
	}
	const reader = new PathReader(history);
	const model = mainModel(answered);
	const pricesIn = (listed: PriceList) => mainPrices(answered, listed);
	const scope = [...new Set(sessions.flatMap(({ session }) => scopeOf(log, session)))];
	return {
		log,
		history,
		reader,
		sessions,
		scope,
		calls,
		model,
		pricesIn,
		...readHostFacts(calls, reader, tree),
		...rest,
	};
}

/** Every message on the path to a call. */
export function rawPath(reader: PathReader, { session, leaf }: RecordedCall): Path {
	return reader.read({ session, leaf, patches: NO_PATCHES, compactions: "none" });
}

const NO_PATCHES = new PatchList();

function sessionNamed(start: string, all: readonly SessionRef[], file: string): SessionRef {
	const found = mainSessions(sessionsNamed(all, start));
	const [one, ...others] = found;
	if (one && others.length === 0) return one;
	const ids = (one ? found : mainSessions(all)).map((each) => each.session).join(", ");
	const what = one ? `${found.length} sessions of ${file} start with '${start}'` : `${file} has no session '${start}'`;
	throw new EngineError(one ? "usage" : "not-found", `${what}. Name one of: ${ids}.`);
}

/** The sessions without side chains, which are named after their parent session; in a file of only side chains, all of them. */
function mainSessions(sessions: readonly SessionRef[]): readonly SessionRef[] {
	const ids = new Set(sessions.map(({ session }) => session));
	const main = sessions.filter(({ session }) => !ids.has(session.slice(0, Math.max(0, session.lastIndexOf("/")))));
	const found = main.length > 0 ? main : sessions;
	return found.map(({ session, host }) => ({ session, host }));
}

function toModelCalls(calls: readonly AnsweredCall[], tree: Tree, raised: RaisedUsage): ModelCall[] {
	const made = new Map<number, number>();
	return calls.map(({ answer, ...call }, index) => {
		for (const { seq } of answer) made.set(seq, index);
		let before = -1;
		for (const { seq } of tree.upward(call.leaf ?? null)) {
			before = made.get(seq) ?? -1;
			if (before >= 0) break;
		}
		return { ...call, index, answer: toAnswer(answer, raised), isJump: before !== index - 1 };
	});
}

function toAnswer(records: AnsweredCall["answer"], raised: RaisedUsage): RecordedAnswer {
	const views = records.map(({ payload }) => viewMessage(payload));
	const calls: CallBlock[] = [];
	const said: string[] = [];
	for (const block of views.flatMap((view) => view.blocks)) {
		if (block.kind === "text") said.push(block.text);
		if (block.kind !== "call") continue;
		calls.push(block);
		said.push(...collectWords(block.input));
	}
	// An answer has at least one record.
	const first = records[0]!;
	const { seq, ts } = first;
	const reported = views.findLast((view) => view.usage)?.usage;
	const usage = reported && trueUsage(raised, first, reported);
	return { seq, ts, said: said.join("\n"), calls, usage, model: views[0]?.model };
}
