/** The guard's fast path, for a file whose stat is unchanged, compared with the one disk call that it needs. */
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../src/base/error/engine-error.ts";
import { DiskFiles } from "../src/guard/disk.ts";
import { GUARD_FOLDS, Guard, type GuardState } from "../src/guard/guard.ts";
import { DEFAULT_GUARD_SETTINGS } from "../src/guard/types.ts";
import type { EventRecord, NewEvent } from "../src/log/event/types.ts";
import type { StateFold } from "../src/log/fold/state-fold.ts";
import { medianRatio, micros, type Ratio } from "./measure.ts";

const CHECKS_PER_ROUND = 2_000;
const LINE = "const value = 1;\n";
/** Long enough ago that the disk's clock cannot hide a change made in the same tick. */
const QUIET_MS = 60_000;

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
		bound: 3,
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
