import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Compaction, compact } from "../../src/state/history/compact.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { checkCoverage, filler, type OpenedLog, openHistory, PiSession, START } from "./rig.ts";

const BEHAVIOURS = ["none", "good", "echo", "empty", "longer", "throws", "slow", "cancelled", "killed"] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

type Step =
	| { readonly do: "round" | "user" | "turn" | "open call" | "late result" | "other entry" }
	| { readonly do: "jump"; readonly to: number }
	| { readonly do: "compact"; readonly behaviour: Behaviour; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant({ do: "round" } as const) },
	{ weight: 2, arbitrary: fc.constantFrom({ do: "user" } as const, { do: "turn" } as const) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			{ do: "open call" } as const,
			{ do: "late result" } as const,
			{
				do: "other entry",
			} as const,
		),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("jump" as const), to: fc.nat(1_000) }) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("compact" as const),
			behaviour: fc.constantFrom(...BEHAVIOURS),
			at: fc.nat(4),
		}),
	},
);

const SETTINGS = { leafChunkTokens: 400, keepTokens: 300, ceilingTokens: 900, condensationThreshold: 2, maxDepth: 3 };

/** One session in one log, through everything that can happen to it. */
class World {
	opened: OpenedLog;
	session: PiSession;
	readonly entries: string[] = [];
	readonly tips = new Set<string>();
	#openCall: string | undefined;
	#n = 0;

	constructor() {
		this.opened = openHistory(temporaryFolder());
		this.session = new PiSession(this.opened.log);
	}

	async take(step: Step): Promise<void> {
		const n = ++this.#n;
		switch (step.do) {
			case "round":
				this.session.round(n);
				break;
			case "user":
				this.session.user(`Wish ${n}: ${filler(n, 30)}`);
				break;
			case "turn":
				this.session.turn("bash", { command: `run ${n}` }, filler(n, 100));
				break;
			case "open call":
				this.#openCall = `open-${n}`;
				this.session.assistant("", { type: "toolCall", id: this.#openCall, name: "bash", arguments: {} });
				break;
			case "late result":
				this.session.result(this.#openCall ?? "nobody", "bash", filler(n, 20));
				break;
			case "other entry":
				this.session.entry({ type: "model_change", provider: "test", modelId: "other" });
				break;
			case "jump":
				if (this.entries.length > 0) this.session.jump(this.entries[step.to % this.entries.length]!);
				return;
			case "compact":
				await this.#compact(step.behaviour, step.at);
		}
		if (this.session.leaf !== null) this.entries.push(this.session.leaf);
	}

	/** From the leaf and from every place where the session ever stood. */
	check(): void {
		const { history } = this.opened;
		for (const entry of [this.session.leaf, ...this.entries.slice(-8), ...this.entries.slice(0, 2)]) {
			const seq = entry === null ? undefined : history.tree.find(this.session.ref, entry);
			const path = history.path(this.session.ref, seq);
			checkCoverage(history, path);
		}
	}

	/** No call was cut off from its result. */
	#checkPairs({ leaves, path }: Compaction): void {
		const { history } = this.opened;
		const messages = [...path.nodes.flatMap((node) => history.messages(node)), ...path.runs.flat()];
		for (const id of leaves) {
			const node = history.node(id)!;
			const calls = new Set(history.messages(node).flatMap((message) => message.calls));
			const after = messages.filter(({ seq }) => seq > node.last);
			assert.ok(!after.some((message) => message.results.some((result) => calls.has(result))));
		}
	}

	async #compact(behaviour: Behaviour, at: number): Promise<void> {
		const controller = new AbortController();
		const { log, history } = this.opened;
		history.catchUp();
		const leaf = this.session.leaf === null ? undefined : history.tree.find(this.session.ref, this.session.leaf);
		let calls = 0;
		const model: Summariser = {
			name: `test/${behaviour}`,
			async summarise({ prompt, source }) {
				calls++;
				if (calls === at && behaviour === "cancelled") controller.abort();
				if (calls === at && behaviour === "killed") log.close();
				switch (behaviour) {
					case "echo":
						return { text: prompt };
					case "empty":
						return { text: "" };
					case "longer":
						return { text: "long ".repeat(source.tokens * 2) };
					case "throws":
						throw new Error("no luck");
					case "slow":
						return new Promise(() => {});
					default:
						return { text: `Summary ${calls}` };
				}
			},
		};
		const run = compact(history, {
			session: this.session.ref,
			settings: SETTINGS,
			models: behaviour === "none" ? [] : [model],
			now: () => START,
			callMs: 5,
			signal: controller.signal,
			...(leaf === undefined ? {} : { leaf }),
		});
		if (behaviour === "killed") {
			await run.catch(() => {});
			log.close();
			this.opened = openHistory(this.opened.folder);
			this.session = this.session.reopened(this.opened.log);
		} else this.#checkPairs(await run);
	}
}

test("every message is in exactly one place, whatever the session, its branches and its summarisers do", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 40 }), async (steps) => {
			const world = new World();
			try {
				for (const each of steps) {
					await world.take(each);
					world.check();
				}
			} finally {
				world.opened[Symbol.dispose]();
			}
		}),
		{ numRuns: 25, endOnFailure: true },
	);
});

test("after a jump the nodes of the other branch are not shown, and come back with it", async () => {
	using opened = openHistory();
	const { history } = opened;
	const session = new PiSession(opened.log);
	for (let n = 0; n < 6; n++) session.round(n);
	const fork = session.leaf;
	const settings = { ...SETTINGS, condensationThreshold: 50 };
	const options = { session: session.ref, settings, now: () => START };
	for (let n = 6; n < 10; n++) session.round(n);
	const left = await compact(history, options);
	const leftIds = left.path.nodes.map(({ id }) => id);
	const leftLeaf = left.path.leaf!;

	session.jump(fork);
	session.user("Try it the other way.");
	const right = history.path(session.ref);
	const shared = right.nodes.map(({ id }) => id);
	assert.deepEqual(shared, leftIds.slice(0, shared.length));
	assert.ok(shared.length > 0 && shared.length < leftIds.length);
	checkCoverage(history, right);
	for (let n = 20; n < 26; n++) session.round(n);
	const more = await compact(history, options);
	assert.deepEqual(
		more.path.nodes.slice(0, shared.length).map(({ id }) => id),
		shared,
	);
	assert.ok(more.path.nodes.every(({ id }) => shared.includes(id) || !leftIds.includes(id)));
	checkCoverage(history, more.path);

	assert.deepEqual(
		history.path(session.ref, leftLeaf).nodes.map(({ id }) => id),
		leftIds,
	);
});
