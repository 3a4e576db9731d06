/** Runs the real Pi with weft, headless, on the demonstration's repository with the scripted model. Prints as it goes. */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { formatCount } from "../../src/base/text/bytes.ts";
import { cutToWidth } from "../../src/base/text/cut.ts";
import { wrapWords } from "../../src/base/text/wrap.ts";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../../test/rig/pi.ts";
import { makePiWorkspace, type PiWorkspace } from "../../test/rig/workspace.ts";
import { RULE, RUNS, type Step } from "./model.ts";
import { REPOSITORY } from "./repository.ts";
import { promptTokens, SimulatedCache } from "./usage.ts";
import { LogWatch, type Notice } from "./watch.ts";

/** Small, so that a short session has seals: the ceiling is half of it. */
export const WINDOW_TOKENS = 30_000;
const TIME_LIMIT_MS = 90_000;
/** As a large model's provider lists it, in dollars per million tokens. */
const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** Lines keep their shape on a narrow terminal. */
const COLUMNS = process.stdout.columns || 140;

export interface SentRequest {
	readonly tokens: number;
	/** A seal came just before it. */
	readonly sealed: boolean;
	/** The user's rule is in it, word for word. */
	readonly hasRule: boolean;
}

export interface Performance {
	readonly workspace: PiWorkspace;
	readonly sessionFile: string | undefined;
	readonly answer: string;
	/** Messages of Pi and weft on stderr. */
	readonly complaints: string;
	readonly requests: readonly SentRequest[];
	readonly notices: readonly Notice[];
}

/** Stays after the demonstration, for a look with the commands that it names. */
function keptFolder(): string {
	return realpathSync(mkdtempSync(join(tmpdir(), "weft-demo-")));
}

export async function perform(tell: (line: string) => void): Promise<Performance> {
	const workspace = makePiWorkspace({ files: REPOSITORY, root: keptFolder() });
	const cache = new SimulatedCache();
	using watch = new LogWatch(workspace);
	const notices: Notice[] = [];
	const requests: SentRequest[] = [];
	const steps = RUNS.flatMap(({ prompt, steps: [first, ...rest] }): (Step & { readonly prompt?: string })[] =>
		first ? [{ ...first, prompt }, ...rest] : [],
	);
	const look = (): readonly Notice[] => {
		const fresh = watch.look();
		for (const { kind, text } of fresh) {
			const paint = kind === "guard" || kind === "fault" ? "yellow" : "cyan";
			tell(`     ${styleText(paint, kind.padEnd(8))} ${fit(text, 14)}`);
		}
		notices.push(...fresh);
		return fresh;
	};
	const script = (request: ModelRequest, index: number): ModelAnswer => {
		const sealed = look().some(({ kind }) => kind === "seal");
		const tokens = promptTokens(request);
		requests.push({ tokens, sealed, hasRule: JSON.stringify(request.json["messages"]).includes(RULE) });
		const step = steps[index];
		if (!step) return { text: "There is nothing more to do." };
		if (step.prompt !== undefined) {
			if (index > 0) tell("");
			for (const line of wrapWords(`> ${step.prompt}`, COLUMNS)) tell(styleText("bold", line));
		}
		step.meanwhile?.(workspace.project);
		tell(
			`${styleText("dim", `${String(index + 1).padStart(3)} ${formatCount(tokens).padStart(7)} tokens`)}  ${step.what}`,
		);
		const answer = step.answer(request);
		return { ...answer, usage: cache.usageOf(request, answer) };
	};
	const run = await runPi({
		workspace,
		script,
		prompts: RUNS.map(({ prompt }) => prompt),
		extensions: [WEFT_EXTENSION],
		contextWindow: WINDOW_TOKENS,
		timeLimitMs: TIME_LIMIT_MS,
		cost: COST,
	});
	look();
	const { sessionFile, stdout, stderr } = run;
	return { workspace, sessionFile, answer: stdout.trim(), complaints: stderr.trim(), requests, notices };
}

function fit(text: string, indent: number): string {
	return cutToWidth(text, COLUMNS - indent);
}
