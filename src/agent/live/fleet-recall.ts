/**
 * Looks up failures in the fleet: did another machine resolve this one before? A separate process keeps the connection to the
 * server. Its answer comes within 300 ms or not at all, so no agent waits longer for the network. Each note is an event of
 * the log, once per session.
 */
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { asInteger, asList, asObject, asText, type JsonObject, parseObject } from "../../base/json/read.ts";
import { elsewhereNotes } from "../../context/notes.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Failure } from "../../state/work/failure/types.ts";
import { startCommand } from "./command-process.ts";
import { type FailureChange, failuresIn } from "./failure-change.ts";

const ANSWER_MS = 300;
/** The pause before a process that ended by itself is started again. */
const RESTART_PAUSE_MS = 60_000;
const MAX_FAILURES = 20;

export interface FleetRecallOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** Starts another process than weft's command line. */
	readonly start?: (() => ChildProcess | undefined) | undefined;
	readonly answerMs?: number | undefined;
}

export class FleetRecall {
	readonly #engine: Engine;
	readonly #options: FleetRecallOptions;
	readonly #waiting = new Map<number, (found: readonly unknown[]) => void>();
	#process: ChildProcess | undefined;
	#restUntil = 0;
	#lastId = 0;

	private constructor(engine: Engine, options: FleetRecallOptions) {
		this.#engine = engine;
		this.#options = options;
	}

	/** Starts the process ahead of the first failure. Undefined: there is no fleet, or the settings turn recall off. */
	static of(engine: Engine, options: FleetRecallOptions = {}): FleetRecall | undefined {
		const { settings, log } = engine;
		if (settings["fleet.url"] === null || !settings["fleet.recall"] || log.readOnly) return undefined;
		const recall = new FleetRecall(engine, options);
		recall.#start();
		return recall;
	}

	/** Notes for a command's result about failures that others have resolved. Never throws, never waits longer than `answerMs`. */
	async notes({ session, host }: SessionRef, change: FailureChange): Promise<string[]> {
		if (!this.#engine.log.isOpen) return [];
		const failing = failuresIn(change).slice(0, MAX_FAILURES);
		if (failing.length === 0) return [];
		const found = await this.#ask(failing.map(({ hash }) => hash));
		const { log } = this.#engine;
		if (!log.isOpen) return [];
		const records = failing.flatMap((failure) => {
			const payload = payloadOf(failure, found);
			if (!payload) return [];
			const ts = this.#now();
			const event = { type: "ResolvedElsewhere", session, host, ts, entry: failure.hash, payload } as const;
			// The entry's name makes the event unique in its session.
			const { added, seqs } = log.append([event]);
			return added === 1 ? seqs.flatMap((seq) => log.get(seq) ?? []) : [];
		});
		return elsewhereNotes(records, change.after);
	}

	close(): void {
		this.#restUntil = Number.POSITIVE_INFINITY;
		this.#process?.stdin?.end();
		this.#process = undefined;
	}

	#now(): number {
		return (this.#options.now ?? Date.now)();
	}

	#start(): void {
		if (this.#process || this.#now() < this.#restUntil) return;
		const { start, env = process.env } = this.#options;
		const child = start
			? start()
			: startCommand(this.#engine, ["fleet", "answer"], env, {
					stdio: ["pipe", "pipe", "ignore"],
					isUrgent: true,
				});
		if (!child?.stdin || !child.stdout) return;
		this.#process = child;
		child.unref();
		child.stdin.on("error", () => {});
		for (const pipe of [child.stdin, child.stdout]) (pipe as Partial<Socket>).unref?.();
		createInterface({ input: child.stdout }).on("line", (line) => {
			const answer = parseObject(line);
			this.#waiting.get(asInteger(answer?.["id"]) ?? -1)?.(asList(answer?.["found"]));
		});
		child.once("exit", () => {
			if (this.#process !== child) return;
			this.#process = undefined;
			this.#restUntil = this.#now() + RESTART_PAUSE_MS;
		});
	}

	/** Empty: the fleet knows nothing, or did not answer in time. */
	async #ask(hashes: readonly string[]): Promise<readonly unknown[]> {
		this.#start();
		const { stdin } = this.#process ?? {};
		if (!stdin?.writable) return [];
		const id = ++this.#lastId;
		const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
		this.#waiting.set(id, resolve);
		const timer = setTimeout(() => resolve([]), this.#options.answerMs ?? ANSWER_MS);
		stdin.write(`${JSON.stringify({ id, hashes })}\n`);
		try {
			return await promise;
		} finally {
			clearTimeout(timer);
			this.#waiting.delete(id);
		}
	}
}

/** Reads another machine's answer field by field, because it is not trusted. */
function payloadOf({ id, hash }: Failure, found: readonly unknown[]): JsonObject | undefined {
	const there = found.map(asObject).find((each) => each?.["hash"] === hash);
	const [person, machine, session, handle] = ["person", "machine", "session", "handle"].map((name) =>
		asText(there?.[name]),
	);
	const at = asInteger(there?.["at"]);
	if (!there || person === undefined || machine === undefined || session === undefined) return undefined;
	if (handle === undefined || at === undefined) return undefined;
	return {
		failure: id,
		hash,
		person,
		machine,
		session,
		at,
		handle,
		paths: asList(there["paths"]).flatMap((path) => asText(path) ?? []),
	};
}
