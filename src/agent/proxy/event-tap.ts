/**
 * Reads an answer as it passes: server-sent events, or one JSON value. Bytes pass at once. Only a tap that can change events holds them,
 * each until the event is whole.
 */
import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, parseObject } from "../../base/json/read.ts";
import type { Tap } from "./watch.ts";

export interface EventTapOptions {
	/** True: `onEvent` may return another event. */
	readonly canChange: boolean;
	/**
	 * Gets the data of an event; its return value replaces the event. A promise, only where it can change the event: it waits. An answer
	 * that is one JSON value passes as it is.
	 */
	readonly onEvent: (data: JsonObject, canChange: boolean) => OtherEvent | Promise<OtherEvent>;
	/** By the name of an event. */
	readonly isWanted: (event: string) => boolean;
	readonly onEnd: (end: { readonly status: number; readonly isWhole: boolean }) => void;
}

type OtherEvent = JsonObject | undefined;

/** Events that are wanted are smaller. */
const MAX_HELD_BYTES = 2 * 1024 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

export class EventTap implements Tap {
	readonly changes: boolean;
	readonly #options: EventTapOptions;
	#kind: "events" | "json" | "other" = "other";
	#status = 0;
	#rest: Buffer = EMPTY;
	#isOver = false;

	constructor(options: EventTapOptions) {
		this.#options = options;
		this.changes = options.canChange;
	}

	get held(): Buffer {
		return this.changes && this.#kind === "events" ? this.#rest : EMPTY;
	}

	start(status: number, headers: IncomingHttpHeaders): void {
		this.#status = status;
		const type = headers["content-type"] ?? "";
		const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
		if (!isPlain) return;
		if (type.startsWith("text/event-stream")) this.#kind = "events";
		else if (type.startsWith("application/json")) this.#kind = "json";
	}

	pass(chunk: Buffer): Buffer | Promise<Buffer> {
		if (this.#kind === "other") return chunk;
		const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
		if (this.#kind === "json") {
			this.#keep(all);
			return chunk;
		}
		const passed: (Buffer | Promise<Buffer>)[] = [];
		let from = 0;
		for (let end = endOfEvent(all, from); end > 0; end = endOfEvent(all, from)) {
			passed.push(this.#event(all.subarray(from, end)));
			from = end;
		}
		const wasHolding = this.changes;
		this.#keep(all.subarray(from));
		if (!wasHolding) return chunk;
		// Too large to be an event that is wanted.
		if (this.#kind !== "events") passed.push(all.subarray(from));
		return joined(passed);
	}

	end(): Buffer {
		const last = this.held;
		if (this.#kind === "json") {
			const data = parseObject(this.#rest.toString("utf8"));
			if (data) this.#options.onEvent(data, false);
		}
		this.#over(true);
		return last;
	}

	broken(): void {
		this.#over(false);
	}

	#over(isWhole: boolean): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#rest = EMPTY;
		this.#options.onEnd({ status: this.#status, isWhole });
	}

	#keep(rest: Buffer): void {
		// A copy: the chunk that it is a part of may be large.
		this.#rest = rest.length === 0 ? EMPTY : Buffer.from(rest);
		if (this.#rest.length <= MAX_HELD_BYTES) return;
		this.#rest = EMPTY;
		this.#kind = "other";
	}

	#event(bytes: Buffer): Buffer | Promise<Buffer> {
		const name = nameOf(bytes);
		if (!this.#options.isWanted(name)) return bytes;
		const data = parseObject(dataOf(bytes.toString("utf8")));
		const other = data && this.#options.onEvent(data, this.changes);
		if (!other || !this.changes) return bytes;
		const render = (event: OtherEvent) => (event ? renderNamed(name, event) : bytes);
		return other instanceof Promise ? other.then(render) : render(other);
	}
}

function renderNamed(name: string, event: JsonObject): Buffer {
	return Buffer.from(`${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`);
}

function joined(parts: readonly (Buffer | Promise<Buffer>)[]): Buffer | Promise<Buffer> {
	const here = parts.filter((part): part is Buffer => !(part instanceof Promise));
	return here.length === parts.length ? Buffer.concat(here) : Promise.all(parts).then((all) => Buffer.concat(all));
}

/** The end of the event that begins at `from`; -1: it is not whole. */
function endOfEvent(bytes: Buffer, from: number): number {
	const plain = bytes.indexOf("\n\n", from);
	const long = bytes.indexOf("\r\n\r\n", from);
	if (plain < 0 && long < 0) return -1;
	return long < 0 || (plain >= 0 && plain < long) ? plain + 2 : long + 4;
}

const MAX_NAME_BYTES = 100;

function nameOf(bytes: Buffer): string {
	return /^event: ?([^\r\n]*)/.exec(bytes.toString("latin1", 0, MAX_NAME_BYTES))?.[1] ?? "";
}

function dataOf(text: string): string {
	const lines = text.split(/\r?\n/).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
	return lines.join("\n");
}
