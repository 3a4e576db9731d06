/**
 * Handlers that redact and fail in every way: they throw, reject, answer nonsense, cannot be loaded, or another one fails beside
 * them. Each request is redacted or not sent, and each message redacted or withheld: the secret never leaves.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ContextHandler, MessageHandler } from "../../src/context/handler/handler.ts";
import { StoppedRequest } from "../../src/context/handler/pipeline.ts";
import { openEngine } from "../../src/engine.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import { tellCount } from "./count.ts";

const SECRET = "secret 4711";
const OF = { session: "0199-handlers", host: "test" };

const throwing = (value: unknown) => (): never => {
	throw value;
};
const hostile = (what: string): object =>
	Object.defineProperty({}, what, { enumerable: true, get: throwing(new Error("looked at")) });
class OddError extends Error {
	override get message(): string {
		throw this;
	}
}

/** Whatever is not an answer. */
const ANSWERS: Readonly<Record<string, () => unknown>> = {
	"throws an error": throwing(new Error("no rules")),
	"throws nothing": throwing(undefined),
	"throws null": throwing(null),
	"throws a text": throwing("no"),
	"throws a symbol": throwing(Symbol("no")),
	"throws an object without a prototype": throwing(Object.create(null)),
	"throws an error whose message throws": throwing(new OddError()),
	"throws an object whose text throws": throwing({ toString: throwing(new Error("no text")) }),
	"throws a text of 20 MB": throwing(new Error("x".repeat(20_000_000))),
	"overflows the stack": function again(): unknown {
		return [again()];
	},
	rejects: () => Promise.reject(new Error("no rules")),
	"rejects with nothing": () => Promise.reject(),
	"gives a promise of its own that throws": () => hostile("then"),
	"gives a number": () => 5,
	"gives a text": () => "redacted",
	"gives a list": () => [{ op: "tail_set" }],
	"misspells its answer": () => ({ patches: [], messages: [] }),
	"gives a patch that is a text": () => ({ patch: "all", message: "all" }),
	"gives a patch of nothing": () => ({ patch: [null], message: 7 }),
	"gives an unknown operation": () => ({ patch: [{ op: "redact_all" }], message: { role: "nobody" } }),
	"gives an answer that throws when it is read": () => hostile("patch"),
	"gives a message that throws when it is read": () => hostile("message"),
	"changes what it was given": (...given: unknown[]) => {
		const event = given[0] as {
			state?: { envelope: { messages: { cached: unknown[] } } };
			message?: { content: unknown };
		};
		if (event.state) event.state.envelope.messages.cached.length = 0;
		if (event.message) event.message.content = "";
	},
};

const redactor: ContextHandler = ({ state: { envelope }, reason }) => {
	if (reason !== "before_request") return;
	const held = envelope.messages.cached.filter(({ role }) => role === "user");
	return {
		patch: held.map(({ id }) => ({
			...{ op: "item_replace" as const, scope: "cached" as const, id, invalidateCacheReason: "redacted" },
			message: { role: "user", content: "•••" },
		})),
	};
};

class Attacked {
	readonly folder = temporaryFolder();
	readonly said: string[] = [];
	readonly engine;

	constructor(handlers: readonly string[] = []) {
		const folder = this.folder;
		const files = handlers.map((text, n) => {
			writeFileSync(join(folder, `h${n}.mjs`), text);
			return join(folder, `h${n}.mjs`);
		});
		mkdirSync(join(folder, "weft"));
		writeFileSync(join(folder, "weft/config.json"), JSON.stringify({ handlers: files }));
		this.engine = openEngine({
			...{ cwd: folder, home: join(folder, "home"), host: OF.host, env: { XDG_CONFIG_HOME: folder } },
			warn: (text: string) => this.said.push(text),
		});
	}

	say(message: object, entry: string): void {
		this.engine.record(messageReader({ ...OF, cwd: this.folder })(message as never, entry));
	}

	/** What would leave; undefined: nothing. */
	async leaves(): Promise<string | undefined> {
		try {
			return JSON.stringify((await this.engine.requests.prepare({ ...OF, base: {} })).messages);
		} catch (error) {
			assert.ok(error instanceof StoppedRequest, String((error as Error).stack));
			return undefined;
		}
	}

	async shown(): Promise<string> {
		const message = { role: "assistant", content: [{ type: "text", text: SECRET }] };
		return JSON.stringify((await this.engine.requests.finish({ ...OF, base: {} }, message)).message);
	}

	[Symbol.dispose](): void {
		this.engine.close();
		removeFolder(this.folder);
	}
}

const userSays = { role: "user", content: `My ${SECRET}.` };

test("a redactor that fails lets nothing out", async () => {
	const told = { attempts: 0, "left unredacted": 0 };
	for (const [how, answer] of Object.entries(ANSWERS)) {
		using attacked = new Attacked();
		attacked.engine.on("context", answer as ContextHandler, { redacts: true });
		attacked.engine.on("message", answer as MessageHandler, { redacts: true });
		attacked.say(userSays, "m1");
		for (const left of [await attacked.leaves(), await attacked.shown()]) {
			told.attempts++;
			assert.doesNotMatch(left ?? "", /4711/, how);
		}
		for (const text of attacked.said) assert.ok(text.length < 5_000, how);
	}
	tellCount("redactors that fail", told);
});

test("a redactor that works holds beside others that fail", async () => {
	const told = { attempts: 0, "left unredacted": 0 };
	for (const [how, answer] of Object.entries(ANSWERS)) {
		for (const isFirst of [true, false]) {
			using attacked = new Attacked();
			if (isFirst) attacked.engine.on("context", answer as ContextHandler);
			attacked.engine.on("context", redactor, { redacts: true });
			if (!isFirst) attacked.engine.on("context", answer as ContextHandler);
			attacked.say(userSays, "m1");
			told.attempts++;
			assert.doesNotMatch((await attacked.leaves()) ?? "", /4711/, how);
		}
	}
	tellCount("redactors beside others that fail", told);
});

test("a file of handlers that redacts and cannot be loaded lets nothing out", async () => {
	const start = 'export default (weft) => { weft.on("context", () => {}, { redacts: true });';
	const files = {
		"throws after it has added one": `${start} throw new Error("no network"); };`,
		"adds nonsense afterwards": `${start} weft.on("contxt", () => {}); };`,
		"does not parse": `${start} `,
		"imports what is not there": `import "./nowhere.mjs"; ${start} };`,
		"exports nothing": `const redacts = 1;`,
		"is stopped by name": `export default (weft) => { weft.on("context", () => {}, { onFailure: "stop" }); throw 1; };`,
	};
	for (const [how, text] of Object.entries(files)) {
		using attacked = new Attacked([text]);
		attacked.say(userSays, "m1");
		assert.equal(await attacked.leaves(), undefined, how);
		assert.doesNotMatch(await attacked.shown(), /4711/, how);
	}
	using harmless = new Attacked(["export default ("]);
	harmless.say(userSays, "m1");
	assert.match((await harmless.leaves()) ?? "", /4711/);
	tellCount("files of redactors that cannot be loaded", { attempts: Object.keys(files).length, "left unredacted": 0 });
});
