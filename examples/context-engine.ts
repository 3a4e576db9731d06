/**
 * weft as the context engine of a host that speaks OpenClaw's contract: a new engine for every turn, asked before every model
 * call, with its own last answer as the messages of the next call. The host here is a loop of a few lines.
 *
 * Run it in a checkout, after `npm run build`: `node examples/context-engine.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentMessage, createContextEngine } from "weft-context";

const BUDGET_TOKENS = 12_000;
const cwd = mkdtempSync(join(tmpdir(), "weft-example-"));
const home = join(cwd, ".weft-home");
const session = { sessionId: "s-1", sessionKey: "agent:main:s-1" };

/** The host's transcript: it keeps everything; what the model sees is the engine's business. */
const transcript: AgentMessage[] = [];
let clock = Date.UTC(2026, 0, 1);
const say = (message: AgentMessage): AgentMessage => ({ ...message, timestamp: clock++ });

let largest = 0;
let opened = "";
for (let turn = 1; turn <= 20; turn++) {
	const engine = createContextEngine({ cwd, home, env: {}, now: () => clock });
	await engine.bootstrap({ ...session, sessionFile: session.sessionKey });
	const asked = say({ role: "user", content: `What does page ${turn} say?` });
	let messages: readonly AgentMessage[] = [...transcript, asked];
	const rows: AgentMessage[] = [asked];
	for (const answer of [lookUp(turn), says(turn)]) {
		const assembled = await engine.assemble({ ...session, messages, tokenBudget: BUDGET_TOKENS });
		largest = Math.max(largest, assembled.estimatedTokens);
		opened = JSON.stringify(assembled.messages[0]?.["content"]);
		const came = answer.map(say);
		rows.push(...came);
		messages = [...assembled.messages, ...came];
	}
	transcript.push(...rows);
	const { status } = await engine.commitTurn({ ...session, advancementKey: `turn-${turn}`, messages: rows });
	if (status !== "committed") throw new Error(`turn ${turn}: ${status}`);
	await engine.maintain(session);
	await engine.dispose();
}

console.log(`${transcript.length} messages in the transcript`);
console.log(`the largest request was ${largest <= BUDGET_TOKENS ? "within" : "over"} the budget`);
console.log(`the last one opened with ${opened.includes("The work so far") ? "a seed" : "the first message"}`);

const engine = createContextEngine({ cwd, home, env: {}, now: () => clock });
const compacted = await engine.compact({ ...session, tokenBudget: BUDGET_TOKENS, force: true });
console.log(`compacted by hand: ${compacted.compacted ? "smaller" : compacted.reason}`);
await engine.dispose();
rmSync(cwd, { recursive: true });

function lookUp(turn: number): AgentMessage[] {
	const call = { type: "toolCall", id: `c${turn}`, name: "exec", arguments: { command: `cat page-${turn}.txt` } };
	const text = `Page ${turn} says that ${turn} is a number. `.repeat(60);
	return [
		{ role: "assistant", content: [call] },
		{ role: "toolResult", toolCallId: `c${turn}`, toolName: "exec", content: [{ type: "text", text }], isError: false },
	];
}

function says(turn: number): AgentMessage[] {
	return [{ role: "assistant", content: [{ type: "text", text: `It says that ${turn} is a number.` }] }];
}
