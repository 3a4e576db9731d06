/** The guard's fast path, for a file whose stat is unchanged, compared with the one disk call that it needs. */
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../src/base/error/engine-error.ts";
import { DiskFiles } from "../src/guard/disk.ts";
import { GUARD_FOLDS, Guard, type GuardState } from "../src/guard/guard.ts";
import { Keeper } from "../src/guard/keeper.ts";
import { DEFAULT_GUARD_SETTINGS } from "../src/guard/types.ts";
import type { EventRecord, NewEvent } from "../src/log/event/types.ts";
import type { StateFold } from "../src/log/fold/state-fold.ts";
import { Log } from "../src/log/log.ts";
import { medianRatio, micros, type Ratio } from "./measure.ts";

const CHECKS_PER_ROUND = 2_000;
const LINE = "const value = 1;\n";
/** Long enough ago that the disk's clock cannot hide a change made in the same tick. */
const QUIET_MS = 60_000;

const KNOWN_FILES = 64;
const LOOKS_PER_ROUND = 100;

/** The look at all known files before a command that only looks itself, beside the stats that it needs. */
export function lookBench(folder: string): Ratio {
	const paths = Array.from({ length: KNOWN_FILES }, (_, n) => join(folder, `known-${n}.ts`));
	const text = LINE.repeat(100);
	const past = new Date(Date.now() - QUIET_MS);
	const state = initial();
	const of = { session: "bench", host: "pi", cwd: folder };
	const later = Date.now() + QUIET_MS;
	using log = closing(new Log({ folder: join(folder, "kept-log"), origin: "bench" }));
	const guard = new Guard({
		state: () => state,
		files: new DiskFiles({ clock: () => later }),
		settings: DEFAULT_GUARD_SETTINGS,
		powers: { canChangeInput: true },
		now: () => later,
		keeper: new Keeper({ log, maxBytes: 1e9, now: () => later }),
	});
	for (const [n, path] of paths.entries()) {
		writeFileSync(path, text);
		utimesSync(path, past, past);
		const read = { ...of, tool: "read", callId: `r${n}`, input: { path } };
		guard.before(read);
		fold(state, guard.after(read, { kind: "result", callId: `r${n}`, text, isError: false }).events);
	}
	const command = { ...of, tool: "bash", callId: "c", input: { command: "git status && ls src | head" } };
	const look = () => guard.before(command);
	const stats = () => {
		for (const path of paths) statSync(path, { bigint: true });
	};
	const measured = medianRatio(LOOKS_PER_ROUND, look, stats);
	return {
		name: `the look at ${KNOWN_FILES} known files before a command`,
		beside: `${KNOWN_FILES} statSync`,
		ratio: measured.ratio,
		bound: 3,
		detail: `${micros(measured.oursMs)} against ${micros(measured.otherMs)}; at most 5 ms`,
	};
}

function closing(log: Log): Log & Disposable {
	return Object.assign(log, { [Symbol.dispose]: () => log.close() });
}

export function guardBench(folder: string): Ratio {
	const path = join(folder, "guarded.ts");
	const text = LINE.repeat(100);
	writeFileSync(path, text);
	const past = new Date(Date.now() - QUIET_MS);
	utimesSync(path, past, past);

	const state = initial();
	const of = { session: "bench", host: "pi", cwd: folder };
	const later = Date.now() + QUIET_MS;
	const guard = new Guard({
		state: () => state,
		files: new DiskFiles({ clock: () => later }),
		settings: DEFAULT_GUARD_SETTINGS,
		powers: { canChangeInput: true },
		now: () => later,
	});
	const read = { ...of, tool: "read", callId: "c1", input: { path } };
	guard.before(read);
	fold(state, guard.after(read, { kind: "result", callId: "c1", text, isError: false }).events);
	const edit = { ...of, tool: "edit", callId: "c2", input: { path, oldText: "value = 1", newText: "value = 2" } };
	const check = () => guard.before(edit);
	const first = check();
	if (first.action !== "pass" || first.events.length > 0) {
		throw new EngineError(
			"refused",
			"The guard does not take its quick way here, so there is nothing to measureRequests.",
		);
	}
	const measured = medianRatio(CHECKS_PER_ROUND, check, () => statSync(path, { bigint: true }));
	return {
		name: "a guard check whose stat is equal",
		beside: "one statSync",
		ratio: measured.ratio,
		bound: 4,
		detail: `${micros(measured.oursMs)} against ${micros(measured.otherMs)}`,
	};
}

const PARTS = Object.entries(GUARD_FOLDS) as unknown as [keyof GuardState, StateFold<unknown>][];

function initial(): GuardState {
	return Object.fromEntries(PARTS.map(([part, each]) => [part, each.initial()])) as unknown as GuardState;
}

function fold(state: GuardState, events: readonly NewEvent[]): void {
	for (const [index, event] of events.entries()) {
		const record = {
			v: 1,
			cause: null,
			entry: null,
			...event,
			seq: index + 1,
			id: "",
			origin: "",
		} as unknown as EventRecord;
		for (const [part, each] of PARTS) each.step(state[part], record);
	}
}
