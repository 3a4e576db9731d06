/**
 * The work of a session for another agent or person: its thread, then the seed that a seal would send now, in one bounded text.
 * Writes nothing.
 */
import { basename } from "node:path";
import { maskSecrets } from "../base/text/mask.ts";
import { bytesOfTokens, estimateTokens } from "../base/tokens/estimate.ts";
import { seedAt } from "../context/mode.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { cutBetweenMarks, nameInLine } from "../message/enclosure.ts";
import type { HandoverTarget } from "./handover-sizes.ts";
import { shortSession } from "./short-session.ts";
import { renderBoundedThread, threadStateOf, viewThread } from "./thread.ts";

/** Of the tokens: the most for the thread; the seed gets the rest. */
const THREAD_SHARE = 0.4;

/** How each agent takes a prompt from a pipe. */
const STARTS: Readonly<Record<Exclude<HandoverTarget, "md">, string>> = {
	claude: "claude -p",
	codex: "codex exec -",
	pi: "pi -p",
	opencode: "opencode run",
};

/** The JSON of `weft handover`. */
export interface HandoverView {
	readonly session: string;
	readonly host: string;
	readonly project: string;
	readonly to: HandoverTarget;
	/** The command that starts the other agent with it. */
	readonly start: string;
	readonly tokens: number;
	readonly text: string;
}

interface HandoverOptions {
	readonly to: HandoverTarget;
	readonly maxTokens: number;
}

export async function viewHandover(engine: Engine, of: SessionRef, options: HandoverOptions): Promise<HandoverView> {
	const { to, maxTokens } = options;
	const { session, host } = of;
	const project = engine.project.root;
	const start = startOf(session, to);
	const head = renderHead({ session, host, project, to, start });
	const headTokens = estimateTokens(head);
	const thread = await maskSecrets(
		renderBoundedThread(viewThread(engine, of), {
			maxTokens: Math.floor((maxTokens - headTokens) * THREAD_SHARE),
			more: "weft thread --all",
		}),
	);
	const budget = maxTokens - headTokens - estimateTokens(thread) - 8;
	const seed = await maskSecrets(seedOf(engine, of, thread, budget));
	const text = cutBetweenMarks(`${head}\n\n${thread}\n\n${seed}`.trimEnd(), bytesOfTokens(maxTokens));
	return { session, host, project, to, start, tokens: estimateTokens(text), text };
}

/** Items that the thread shows are not repeated in the seed. Tools are not named: the other agent may not have them. */
function seedOf(engine: Engine, of: SessionRef, shown: string, budget: number): string {
	const moment = engine.requests.moment({ ...of, mode: "woven" });
	const state = () => ({ ...moment.state(), thread: threadStateOf(engine, of) });
	return seedAt({ ...moment, state }, { raw: shown, budget, namesTools: false }).text;
}

function startOf(session: string, to: HandoverTarget): string {
	const name = shortSession(session);
	return `weft handover ${name} --to ${to === "md" ? "codex" : to} | ${to === "md" ? STARTS.codex : STARTS[to]}`;
}

type Heading = Omit<HandoverView, "tokens" | "text">;

function renderHead({ session, host, project, to, start }: Heading): string {
	const name = `${shortSession(session)} (${host})`;
	const folder = nameInLine(basename(project));
	const source = "'weft show HANDLE' prints the source of an id in brackets, if weft is on this machine.";
	if (to === "md")
		return [
			`# Handover of session ${name} in ${folder}, written by weft. An agent takes it over with: ${start}`,
			"",
			source,
		].join("\n");
	return [
		`Handover of session ${name} in ${folder}, written by weft for ${to}. Started with: ${start}`,
		"",
		"You take over this work from another agent. What the user asked and the rules, corrections and decisions under Holds are",
		"binding for you too. Do the newest request if it is not done yet, else what is under Next. Read a file before you change it:",
		`it may have changed. ${source}`,
	].join("\n");
}
