/** Memory in OpenClaw: written after each turn from the log alone, by the agent's own model only where the settings say so. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { recordReset } from "../../src/agent/openclaw/plugin-engine.ts";
import { calls, NOON, type Place, place, result, says, user } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };

async function turn(at: Place, nth: number, words: string, ...rest: ReturnType<typeof user>[]): Promise<void> {
	const weft = at.engine();
	const messages = [user(words, nth * 10), ...rest];
	await weft.commitTurn({ ...S, advancementKey: `t${nth}`, messages } as Parameters<typeof weft.commitTurn>[0]);
	await weft.dispose();
}

const folder = (at: Place) => at.look(({ log }) => join(log.folder, "memory"));

test("turns, a compaction and a reset: SESSION.md, MEMORY.md and HISTORY.md follow, whichever engine serves the turn", async (t) => {
	const at = place(t);
	await turn(
		at,
		1,
		"Sort the list. Never touch the index.",
		calls("c1", "sort list", 12),
		result("c1", "sorted", 13),
		says("Sorted.", 14),
	);
	await turn(at, 2, "And the other one?", says("That one is sorted already.", 21));
	await turn(at, 3, "From now on never sort by date.", says("Never by date.", 31));
	const session = () => readFileSync(join(folder(at), "SESSION.md"), "utf8");
	assert.match(session(), /## Session Title\n- Sort the list\. Never touch the index\. <!--/);
	assert.match(session(), /## Constraints\n- Never touch the index\. <!--/);
	const first = realpathSync(join(folder(at), "SESSION.md"));
	await recordReset({ cwd: at.cwd, home: at.home, env: {}, now: () => NOON }, S, NOON);
	const own = (name: string) => readFileSync(join(folder(at), "sessions", "s1", name), "utf8");
	assert.match(own("MEMORY.md"), /## Constraints\n- From now on never sort by date\. <!-- f-/);
	assert.doesNotMatch(own("MEMORY.md"), /index/, "a rule of one task does not last");
	assert.match(own("HISTORY.md"), /- Asked: Sort the list\. Never touch the index; .* \(session s1\) /);
	await turn(at, 9_000, "A new conversation.", says("Yes.", 90_001));
	assert.notEqual(realpathSync(join(folder(at), "SESSION.md")), first);
	assert.ok(existsSync(first));
	assert.equal(
		existsSync(join(folder(at), "MEMORY.md")),
		false,
		"the project's own file has no word of a conversation",
	);
	assert.deepEqual(at.warnings, []);
});

test("upkeep asks the agent's model once, where the settings say so; a bad answer changes nothing", async (t) => {
	const at = place(t, { WEFT_MEMORY_MODELS: "session" });
	await turn(at, 1, "Sort the list.", says("Sorted.", 11));
	await turn(at, 2, "And the other one?", says("Too.", 21));
	const asked: string[] = [];
	const answer = { text: '{"currentState": ["both lists are sorted"], "nextSteps": ["look at the third"]}' };
	const upkeep = async (text: string) => {
		const weft = at.engine();
		const complete = async ({ purpose }: { readonly purpose?: string }) => {
			asked.push(purpose ?? "");
			return { text };
		};
		const runtimeContext = { allowDeferredCompactionExecution: true, llm: { complete } };
		await weft.maintain({ ...S, runtimeContext } as unknown as Parameters<typeof weft.maintain>[0]);
		await weft.dispose();
	};
	await upkeep("no JSON");
	const before = readFileSync(join(folder(at), "SESSION.md"), "utf8");
	assert.doesNotMatch(before, /both lists/);
	await upkeep(answer.text);
	assert.match(readFileSync(join(folder(at), "SESSION.md"), "utf8"), /## Next Steps\n- look at the third <!--/);
	assert.ok(asked.every((purpose) => purpose.startsWith("weft: ")));
	const count = asked.length;
	await upkeep(answer.text);
	assert.equal(asked.length, count, "not again within ten minutes");
});

test("what one conversation corrects is corrected in the owner's other conversations, and the rules of one open the others", async (t) => {
	const at = place(t);
	const keyed = (name: string) => ({ sessionId: name, sessionKey: `agent:main:${name}` });
	const tell = async (of: ReturnType<typeof keyed>, nth: number, words: string) => {
		const weft = at.engine();
		const messages = [user(words, nth * 10), says("Understood.", nth * 10 + 1)];
		await weft.commitTurn({ ...of, advancementKey: `t${nth}`, messages } as Parameters<typeof weft.commitTurn>[0]);
		await weft.dispose();
	};
	await tell(keyed("first"), 1, "The relay listens on 7443.");
	await tell(keyed("first"), 2, "From now on every commit message starts with the ticket number.");
	await tell(keyed("second"), 3, "The relay listens on 8443 now, not 7443.");
	await tell(keyed("whatsapp:direct:ada"), 4, "The relay listens on 9443 now, not 8443.");
	const memory = (name: string) => readFileSync(join(folder(at), "sessions", name, "MEMORY.md"), "utf8");
	assert.match(memory("first"), /ticket number/);
	assert.doesNotMatch(memory("first"), /listens on/);
	assert.match(memory("second"), /- The relay listens on 8443 now, not 7443\. <!--/);
	const third = at.engine();
	const prompt = "Commit the changes please.";
	const given = await third.assemble({ ...keyed("third"), messages: [], prompt, tokenBudget: 40_000 });
	await third.dispose();
	const sent = JSON.stringify(given.messages);
	assert.match(sent, /starts with the ticket number/);
	assert.match(sent, /listens on 8443 now/);
	assert.doesNotMatch(sent, /listens on 7443|9443/);
});

test("upkeep lets the agent's model consolidate what a compaction owes, once", async (t) => {
	const at = place(t, { WEFT_MEMORY_MODELS: "session" });
	await turn(at, 1, "Sort the list.", says("Sorted.", 11));
	await turn(at, 2, "And the other one?", says("Too.", 21));
	const weft = at.engine();
	await weft.compact({ ...S, force: true, tokenBudget: 8_000 } as Parameters<typeof weft.compact>[0]);
	await weft.dispose();
	const prompts: string[] = [];
	const complete = async ({ messages }: { readonly messages: readonly { readonly content: string }[] }) => {
		prompts.push(messages[0]?.content ?? "");
		const memory = [{ op: "add", section: "Facts", text: "There are two lists.", confidence: 1, necessity: "high" }];
		return { text: JSON.stringify({ memory, history: ["Both lists were sorted."] }) };
	};
	for (let n = 0; n < 2; n++) {
		const next = at.engine();
		const runtimeContext = { allowDeferredCompactionExecution: true, llm: { complete } };
		await next.maintain({ ...S, runtimeContext } as unknown as Parameters<typeof next.maintain>[0]);
		await next.dispose();
	}
	const own = (name: string) => readFileSync(join(folder(at), "sessions", "s1", name), "utf8");
	assert.match(own("MEMORY.md"), /- There are two lists\. <!--/);
	assert.match(own("HISTORY.md"), /- Both lists were sorted\. /);
	assert.equal(prompts.filter((prompt) => prompt.includes("long memory")).length, 1);
});

test("a compaction in the first turn of a project: the notes are written, and nobody is told of a failure", async (t) => {
	const at = place(t);
	const host = new HostModel({ make: ({ readTranscript, now }) => at.engine({ readTranscript, now: () => now }) });
	const long = Array.from({ length: 30 }, (_, nth) => ({ result: `part ${nth} holds a value\n`.repeat(400) }));
	assert.notEqual(await host.turn("Never touch the index.", long), undefined);
	assert.ok(host.compactions.length > 0);
	assert.deepEqual(at.warnings, []);
	assert.match(readFileSync(join(folder(at), "SESSION.md"), "utf8"), /- Never touch the index\. <!--/);
});
