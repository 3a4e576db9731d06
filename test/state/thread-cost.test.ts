/** One more event costs the thread no more after 100,000 events than after 1,000: counted, not timed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { ThreadState } from "../../src/state/thread/thread.ts";
import { threadFold } from "../../src/state/thread/thread-fold.ts";
import { assistant, ran, recordsOf, user } from "../rig/events.ts";

/** So many that the sums over all requests, which are rare, count too. */
const COUNTED_TURNS = 256;
/** Requests are rare in a long session. */
const RUNS_BETWEEN = 25;
/** Sums over all requests fall into the counted turns once more or less. */
const SLACK = 1.1;

test("an event touches no more of the thread after 100,000 events than after 1,000", () => {
	const session = new GrowingSession();
	session.talkUntil(1_000);
	const early = session.countTurns();
	session.workUntil(100_000);
	const late = session.countTurns();
	assert.ok(late <= early * SLACK, `${early} values touched per turn after 1,000 events, ${late} after 100,000`);
});

class GrowingSession {
	#state: ThreadState = threadFold.initial();
	#events = 0;
	#turns = 0;

	talkUntil(events: number): void {
		while (this.#events < events) this.#step(this.#state, this.#turn());
	}

	workUntil(events: number): void {
		const [run] = [recordsOf([ran("npm test", "ok 1 - all\n# tests 1\n# pass 1")])];
		while (this.#events < events) {
			this.#step(this.#state, this.#turn());
			for (let n = 0; n < RUNS_BETWEEN; n++) this.#step(this.#state, run);
		}
	}

	/** The mean of values of the state that a turn reads or writes. */
	countTurns(): number {
		const counter = new TouchCounter();
		const counted = counter.watch(this.#state);
		for (let n = 0; n < COUNTED_TURNS; n++) this.#step(counted, this.#turn());
		this.#state = structuredClone(JSON.parse(JSON.stringify(counted)));
		return Math.round(counter.touched / COUNTED_TURNS);
	}

	#turn(): EventRecord[] {
		const n = ++this.#turns;
		const words = `The ${nameOf(n)} worker writes its pages to depot-${n}, because the ${nameOf(n * 7)} gateway reads them there every night.`;
		const rule = `Never touch the ${nameOf(n * 3)} module without asking me before, not even for a small change of its comments.`;
		const change = `The ${nameOf(n * 5)} queue is at queue-${n}.internal now, not at queue-${n - 1}.internal, since the old host is gone.`;
		return recordsOf([
			user(`${words} ${rule} ${change}`),
			assistant(`The cause is in the ${nameOf(n)} worker. I will update its page later.`),
		]);
	}

	#step(state: ThreadState, records: readonly EventRecord[]): void {
		for (const record of records) threadFold.step(state, { ...record, seq: ++this.#events });
	}
}

/** A word of its own for each number. */
function nameOf(n: number): string {
	return [...n.toString(10)]
		.map((digit) => "lomatirune".charAt(Number(digit)).concat("abcdeghiko".charAt(Number(digit))))
		.join("");
}

/** Counts the properties of a state that are read, written or listed. */
class TouchCounter {
	touched = 0;
	readonly #watched = new WeakSet<object>();
	readonly #watchers = new WeakMap<object, object>();

	watch<Value extends object>(value: Value): Value {
		if (this.#watched.has(value)) return value;
		const known = this.#watchers.get(value);
		if (known) return known as Value;
		const watcher = new Proxy(value, {
			get: (target, key) => {
				this.touched++;
				const own: unknown = Reflect.get(target, key);
				return typeof own === "object" && own !== null ? this.watch(own) : own;
			},
			set: (target, key, given) => {
				this.touched++;
				return Reflect.set(target, key, given);
			},
			ownKeys: (target) => {
				const keys = Reflect.ownKeys(target);
				this.touched += keys.length;
				return keys;
			},
		});
		this.#watchers.set(value, watcher);
		this.#watched.add(watcher);
		return watcher;
	}
}
