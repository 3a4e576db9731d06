/** `npm run bench -- state`: does reading the state stay cheap as the log grows? Ratios only; nothing here is a test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectState } from "../src/context/project-state.ts";
import { Log } from "../src/log/log.ts";
import { guardBench, lookBench } from "./guard.ts";
import { median, medianRatio, micros, type Ratio, timed } from "./measure.ts";
import { WorkSource } from "./work.ts";

const SMALL_EVENTS = 1_000;
const LARGE_EVENTS = 100_000;
const BATCH_EVENTS = 2_000;
const ROUNDS = 5;
const STEPS_PER_ROUND = 100;

export interface StateBenchOptions {
	/** Events of the long log. */
	readonly events?: number | undefined;
	readonly onProgress?: (what: string) => void;
}

export interface StateBenchReport {
	readonly events: number;
	readonly ratios: readonly Ratio[];
}

export function runStateBench(options: StateBenchOptions = {}): StateBenchReport {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const say = options.onProgress ?? (() => {});
	const events = options.events ?? LARGE_EVENTS;
	try {
		say(`filling a log with ${events} events`);
		using small = filled(join(folder, "small"), SMALL_EVENTS);
		using large = filled(join(folder, "large"), events);
		say("the state after one more event");
		const step = oneMore(small, large);
		say("opening from a snapshot, beside folding everything");
		const opened = opening(large.log);
		say("folding everything, beside reading and parsing it");
		const folded = fullFold(large.log);
		say("checks of the guard");
		return { events, ratios: [step, opened, folded, guardBench(folder), lookBench(folder)] };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

class Filled {
	readonly log: Log;
	readonly source = new WorkSource();

	constructor(folder: string, events: number) {
		this.log = new Log({ folder, origin: "bench" });
		while (this.log.newestSeq() < events) {
			this.log.append(this.source.events(Math.min(BATCH_EVENTS, events - this.log.newestSeq())));
		}
		this.log.settle({ all: true });
	}

	[Symbol.dispose](): void {
		this.log.close();
	}
}

function filled(folder: string, events: number): Filled {
	return new Filled(folder, events);
}

/** Appends are not timed: a request does not pay for them. */
function oneMore(small: Filled, large: Filled): Ratio {
	const runners = { small: projectState(small.log), large: projectState(large.log) };
	const step = (arm: "small" | "large", { log, source }: Filled): number => {
		log.append([source.one()]);
		return timed(() => runners[arm].current());
	};
	const rounds: { readonly small: number; readonly large: number }[] = [];
	for (let round = 0; round <= ROUNDS; round++) {
		const times = { small: [] as number[], large: [] as number[] };
		for (let each = 0; each < STEPS_PER_ROUND; each++) {
			times.small.push(step("small", small));
			times.large.push(step("large", large));
		}
		if (round > 0) rounds.push({ small: median(times.small), large: median(times.large) });
	}
	const ours = median(rounds.map((round) => round.large));
	const other = median(rounds.map((round) => round.small));
	return {
		name: "the state after one more event",
		beside: `the same at ${SMALL_EVENTS} events`,
		ratio: median(rounds.map((round) => round.large / round.small)),
		bound: 1.5,
		detail: `${micros(ours)} against ${micros(other)}`,
	};
}

function opening(log: Log): Ratio {
	projectState(log).writeSnapshot();
	const measured = medianRatio(
		1,
		() => projectState(log).current(),
		() => projectState(log, { snapshots: false }).current(),
	);
	return {
		name: "opening from a snapshot",
		beside: "a full fold",
		ratio: measured.ratio,
		bound: 0.05,
		detail: `${micros(measured.oursMs)} against ${micros(measured.otherMs)}`,
	};
}

/** The first question after an import: no event is folded yet. */
function fullFold(log: Log): Ratio {
	const measured = medianRatio(
		1,
		() => projectState(log, { snapshots: false }).current(),
		() => {
			for (const { text } of log.readStored()) JSON.parse(text);
		},
	);
	return {
		name: "a full fold",
		beside: "reading and parsing every event",
		ratio: measured.ratio,
		bound: 4,
		detail: `${micros(measured.oursMs)} against ${micros(measured.otherMs)}`,
	};
}
