/**
 * What the guard would have said about the recorded calls in report mode. It judges only what the recording shows: a file
 * that was never read or written counts as new, and changes by commands are invisible.
 */
import { resolve } from "node:path";
import { asObject } from "../base/json/read.ts";
import { guardState, projectState } from "../context/project-state.ts";
import { Guard } from "../guard/guard.ts";
import { loopNote } from "../guard/loop.ts";
import { DEFAULT_GUARD_SETTINGS, type FilePort, type GuardCall } from "../guard/types.ts";
import { logOf, logUpTo } from "../log/fold/partial-log.ts";
import { type ResultBlock, viewMessage } from "../message/view.ts";
import { pathOf } from "../state/session/file-change.ts";
import { placeOf } from "../state/session/session-place.ts";
import { toolClass } from "../state/session/tool-class.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import { RecordedFilePort } from "./recorded-file-port.ts";
import type { ModelCall, Recording } from "./recording.ts";

export interface Verdicts {
	/** Tool calls that were judged. */
	readonly calls: number;
	readonly blocks: number;
	readonly warnings: number;
	readonly byRule: Readonly<Record<string, number>>;
}

export function countVerdicts(recording: Recording): Verdicts {
	const { log, calls, scope } = recording;
	const results = resultsOf(recording);
	const counts = { calls: 0, blocks: 0, warnings: 0 };
	const byRule: Record<string, number> = {};
	const count = (rule: string, kind: "blocks" | "warnings") => {
		counts[kind]++;
		byRule[rule] = (byRule[rule] ?? 0) + 1;
	};
	let upTo = 0;
	let now = 0;
	const runner = projectState(
		logUpTo(log, () => upTo, scope),
		{ snapshots: false },
	);
	const state = () => guardState(runner.current().state);
	const events = logOf(log, scope);
	const files = new RecordedFiles();
	let port: FilePort = new RecordedFilePort(files, "/", new Set());
	const guard = new Guard({
		state,
		files: currentPort(() => port),
		settings: { ...DEFAULT_GUARD_SETTINGS, policyMode: "report" },
		powers: { canChangeInput: true },
		now: () => now,
	});
	for (const call of calls) {
		upTo = call.answer.seq - 1;
		now = call.answer.ts;
		files.advance(events, upTo);
		const { cwd } = placeOf(log, call.session);
		for (const judged of toolCalls(call, cwd)) {
			counts.calls++;
			const result = results.get(judged.callId);
			port = new RecordedFilePort(files, cwd, provenBy(judged, result));
			for (const { type, payload } of guard.before(judged).events) {
				if (type !== "Verdict" || payload.verdict === "refresh") continue;
				count(payload.rule, payload.verdict === "block" ? "blocks" : "warnings");
			}
			if (result && loopNote(state().loop, judged, result.text) !== undefined) count("loop", "warnings");
		}
	}
	return { ...counts, byRule };
}

function toolCalls({ answer, session }: ModelCall, cwd: string): GuardCall[] {
	return answer.calls.map(({ id, tool, input }) => ({
		...session,
		cwd,
		tool,
		callId: id,
		input: asObject(input) ?? {},
	}));
}

function resultsOf({ log, sessions }: Recording): Map<string, ResultBlock> {
	const results = new Map<string, ResultBlock>();
	for (const { session, host } of sessions) {
		for (const { payload } of log.read({ session, host, types: ["Message"] })) {
			for (const block of viewMessage(payload).blocks) {
				if (block.kind === "result" && !results.has(block.callId)) results.set(block.callId, block);
			}
		}
	}
	return results;
}

/** The file of a successful edit must have existed. */
function provenBy({ tool, input, cwd }: GuardCall, result: ResultBlock | undefined): ReadonlySet<string> {
	const path = toolClass(tool) === "edit" && result && !result.isError ? pathOf(input) : undefined;
	return new Set(path === undefined ? [] : [resolve(cwd, path)]);
}

/** One guard for all calls, while the files behind the port change from call to call. */
function currentPort(port: () => FilePort): FilePort {
	return {
		stat: (path) => port().stat(path),
		read: (path) => port().read(path),
		digest: (path) => port().digest(path),
		realpath: (path) => port().realpath(path),
	};
}
