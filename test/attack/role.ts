/**
 * One process at a project's log, in one of the roles that meet there. It works until it is killed, or for as many rounds
 * as it is told, and says on stdout what the log has acknowledged: a word is `type:session:entry`.
 */
import { openEngine } from "../../src/engine.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { prune } from "../../src/log/retention/prune.ts";

const [role, cwd, home, name, rounds] = process.argv.slice(2) as [keyof typeof ROLES, string, string, string, string];

const ROLES = { append, read, prune: pruneAndVacuum, end, verify: verifyOften };
for (let n = 0; n < Number(rounds); n++) await ROLES[role](n);

function open(env: NodeJS.ProcessEnv = {}) {
	const engine = openEngine({ cwd, home, host: "attack", session: name, env });
	process.stdout.write("open\n");
	return engine;
}

function turn(n: number): NewEvent[] {
	const base = { session: name, host: "attack", ts: Date.now() };
	const text = `${name} turn ${n} `.repeat(1 + ((n * 37) % 200));
	const raw = JSON.stringify({
		type: "message",
		id: `${n}`,
		message: { role: "user", content: [{ type: "text", text }] },
	});
	const run = { command: `make ${n}`, exit: 0, chars: 1, lines: 1, by: "agent", tool: "bash", callId: `${n}` } as const;
	return [
		{ ...base, type: "Message", entry: `${n}`, payload: { role: "user", form: "pi" }, raw },
		{ ...base, type: "CommandRun", entry: `${n}`, payload: run },
	];
}

function acknowledge(events: readonly NewEvent[]): void {
	process.stdout.write(`${events.map(({ type, entry }) => `${type}:${name}:${entry}`).join(" ")}\n`);
}

async function append(n: number): Promise<void> {
	using engine = disposable(open());
	for (let each = 0; each < 400; each++) {
		const events = turn(n * 1_000 + each);
		engine.log.append(events);
		acknowledge(events);
		if (each % 11 === 0) engine.log.settle({ all: each % 22 === 0 });
	}
}

async function read(): Promise<void> {
	using engine = disposable(open());
	for (let each = 0; each < 20; each++) {
		engine.search({ text: "turn", limit: 20 });
		engine.state();
		for (const _ of engine.log.read({ order: "newest", limit: 500 }));
	}
}

async function pruneAndVacuum(n: number): Promise<void> {
	using engine = disposable(open());
	await prune(engine.log, {
		now: Date.now(),
		days: 0,
		minEvents: 0,
		gzip: n % 2 === 1,
		vacuum: n % 3 === 0,
		apply: true,
	});
}

/** A whole short session, which prunes at its end. */
async function end(n: number): Promise<void> {
	const engine = open({ WEFT_MIN_EVENTS_TO_KEEP: "0" });
	// The settings do not allow it, and nobody waits a day here.
	Object.assign(engine.settings, { pruneDays: 0 });
	const events = turn(n);
	engine.record(events);
	acknowledge(events);
	await engine.endSession();
	process.stdout.write("ended\n");
}

async function verifyOften(): Promise<void> {
	using engine = disposable(open());
	const { problems } = verify(engine.log);
	process.stdout.write(problems.length === 0 ? "whole\n" : `${JSON.stringify(problems)}\n`);
}

function disposable<Closing extends { close(): void }>(engine: Closing): Closing & Disposable {
	return Object.assign(engine, { [Symbol.dispose]: () => engine.close() });
}
