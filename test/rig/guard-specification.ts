/**
 * What the guard says of tool calls, on a real disk and a real log:
 *
 * ```ts
 * given(file("a.ts", "one\n"), read("a.ts"), file("a.ts", "uno\n"))
 * 	.when(edit("a.ts", "one", "1"))
 * 	.then(blocked(/-one\n\+uno/), file("a.ts", "uno\n"), verdicts("block unchanged a.ts"));
 * ```
 *
 * Calls without an output run their tool where the guard lets them. Every call of `when` has its claim in `then`, in order,
 * or none has.
 */
import assert from "node:assert/strict";
import type { Payload } from "../../src/log/event/types.ts";
import type { CallWord, SessionWord } from "./events.ts";
import { assertSame, Expectation } from "./expectation.ts";
import { type AgentOptions, type CallResult, GuardedAgent, GuardedProject } from "./guarded-session.ts";

/** In `given` and `when`: somebody else writes the file. In `then`: its text. */
export interface FileWord {
	readonly file: string;
	readonly text: string | Uint8Array;
}

interface ScopedWords {
	readonly by: string | ((agent: GuardedAgent, project: GuardedProject) => GuardedAgent);
	readonly words: readonly GuardWord[];
}

export type GuardWord =
	| SessionWord
	| FileWord
	| ScopedWords
	| { readonly agent: AgentOptions }
	| { readonly laterMs: number }
	| { readonly act: (project: GuardedProject) => void }
	| { readonly call: CallWord; readonly during: readonly GuardWord[]; readonly afterTool: readonly GuardWord[] }
	| { readonly handOver: true }
	/** For words that hold a path of the project. */
	| ((project: GuardedProject) => GuardWord);

type TextClaim = string | RegExp | { readonly lacks: RegExp };

interface CallClaim {
	readonly action: CallResult["action"];
	readonly texts: readonly TextClaim[];
	/** A pattern is for all notes in one text. */
	readonly notes?: readonly string[] | RegExp;
}

type Claim =
	| CallClaim
	| FileWord
	| { readonly verdicts: readonly string[] }
	| { readonly type: EventType; readonly payloads: readonly object[] }
	| { readonly check: Check };

/** `results`: of the calls in `when`, in order. */
type Check = (project: GuardedProject, results: readonly [CallResult, ...CallResult[]]) => void;

type EventType = "Verdict" | "FileChanged" | "FileRead" | "Fault";

export function given(...before: readonly GuardWord[]): {
	when(...words: readonly GuardWord[]): Expectation<readonly Claim[]>;
} {
	return {
		when: (...words) =>
			new Expectation((...claims: readonly Claim[]) => {
				using play = new GuardPlay();
				play.all(before);
				const results = play.all(words);
				const calls = claims.filter((claim) => "action" in claim);
				if (calls.length > 0) assert.equal(calls.length, results.length, "every call has its claim, or none has");
				const story = `given ${describe(before)}, when ${describe(words)}:`;
				const shown = calls.map((claim, at) => showResult(claim, results[at]!));
				assertSame(shown, calls, story);
				for (const claim of claims) compare(claim, play.project, { results, story });
			}),
	};
}

export function file(name: string, text: string | Uint8Array): FileWord {
	return { file: name, text };
}

/** The words are those of another session in the same project. */
export function by(name: string, ...words: readonly GuardWord[]): ScopedWords {
	return { by: name, words };
}

/** The words happen in a new process of the same session; then the old one goes on. */
export function resumed(...words: readonly GuardWord[]): ScopedWords {
	return { by: ({ session }, project) => new GuardedAgent(project, { session }), words };
}

/** How the agent works from here on. It is a new session. */
export function agent(options: AgentOptions): GuardWord {
	return { agent: options };
}

export function later(laterMs: number): GuardWord {
	return { laterMs };
}

/** Something happens to the disk that `file` has no word for. */
export function onDisk(act: (project: GuardedProject) => void): GuardWord {
	return { act };
}

/** The words happen after the check and before the tool. */
export function during(word: CallWord, ...words: readonly GuardWord[]): GuardWord {
	return { call: word, during: words, afterTool: [] };
}

/** The words happen after the tool and before the guard looks. */
export function afterTool(word: CallWord, ...words: readonly GuardWord[]): GuardWord {
	return { call: word, during: [], afterTool: words };
}

/** An agent that is `late` hands its messages over. */
export const handOver: GuardWord = { handOver: true };

/** The call is refused, with a reason that is or fits all of these. */
export function blocked(...texts: readonly TextClaim[]): CallClaim {
	return { action: "block", texts };
}

/** The call runs; its result is or fits all of these. */
export function passed(...texts: readonly TextClaim[]): CallClaim {
	return { action: "pass", texts };
}

/** The call runs and the model is given these notes; a single pattern fits all of them together. */
export function noted(...notes: readonly [RegExp] | readonly string[]): CallClaim {
	const [first] = notes;
	return { action: "pass", texts: [], notes: first instanceof RegExp ? first : (notes as readonly string[]) };
}

export const unnoted: CallClaim = noted();

export function lacks(pattern: RegExp): TextClaim {
	return { lacks: pattern };
}

/** All verdicts so far, as `verdict rule path`, without refreshes. */
export function verdicts(...all: readonly string[]): Claim {
	return { verdicts: all };
}

/** All events of the type, each as far as the payload says. */
export function recorded<T extends EventType>(type: T, ...payloads: readonly Partial<Payload<T>>[]): Claim {
	return { type, payloads };
}

/** For what no other claim can say. */
export function check(of: Check): Claim {
	return { check: of };
}

class GuardPlay implements Disposable {
	readonly project = new GuardedProject();
	readonly #agents = new Map<string, GuardedAgent>();
	/** Entries of messages, by what they say. */
	readonly #entries = new Map<string, string>();

	[Symbol.dispose](): void {
		this.project[Symbol.dispose]();
	}

	/** The results of the calls among them. */
	all(words: readonly GuardWord[], name = "agent"): CallResult[] {
		return words.flatMap((word) => this.#one(word, name));
	}

	#one(word: GuardWord, name: string): CallResult[] {
		if (typeof word === "function") return this.#one(word(this.project), name);
		if ("file" in word) this.project.put(word.file, word.text);
		else if ("act" in word) word.act(this.project);
		else if ("agent" in word) this.#agents.set(name, new GuardedAgent(this.project, word.agent));
		else if ("laterMs" in word) this.#agent(name).ahead += word.laterMs;
		else if ("handOver" in word) this.#agent(name).hand();
		else if ("by" in word) return this.#scoped(word, name);
		else if ("payload" in word) this.#record(word, this.#agent(name));
		else if ("message" in word) this.#say(word.message, this.#agent(name));
		else if ("call" in word) {
			const play = (words: readonly GuardWord[]) => () => void this.all(words, name);
			const { tool, input } = word.call;
			return [this.#agent(name).call(tool, { ...input }, play(word.during), play(word.afterTool))];
		} else return [this.#agent(name).call(word.tool, { ...word.input })];
		return [];
	}

	#scoped({ by: whose, words }: ScopedWords, name: string): CallResult[] {
		if (typeof whose === "string") return this.all(words, whose);
		const own = this.#agent(name);
		this.#agents.set(name, whose(own, this.project));
		const results = this.all(words, name);
		this.#agents.set(name, own);
		return results;
	}

	#agent(name: string): GuardedAgent {
		const known = this.#agents.get(name) ?? new GuardedAgent(this.project);
		this.#agents.set(name, known);
		return known;
	}

	#say(message: object, speaker: GuardedAgent): void {
		const { content } = message as { readonly content: readonly { readonly text: string }[] };
		const text = content[0]!.text;
		this.#entries.set(text, speaker.user(text));
	}

	#record(word: Extract<SessionWord, { readonly type: string }>, { session }: GuardedAgent): void {
		const from = word.type === "Seal" && { from: this.#entries.get(String(word.payload["from"])) ?? "" };
		const { type, payload } = word;
		this.project.record([{ session, host: "pi", ts: 0, type, payload: { ...payload, ...from } }]);
	}
}

/** A result in the form of its claim. */
function showResult(claim: CallClaim, { action, text, notes }: CallResult): unknown {
	return {
		action,
		texts: claim.texts.map((each) =>
			typeof each !== "string" && "lacks" in each && !each.lacks.test(text) ? each : text,
		),
		...(claim.notes !== undefined && { notes: claim.notes instanceof RegExp ? notes.join() : notes }),
	};
}

function compare(
	claim: Claim,
	project: GuardedProject,
	{ results, story }: { readonly results: readonly CallResult[]; readonly story: string },
): void {
	if ("file" in claim) assertSame({ file: claim.file, text: project.text(claim.file) }, claim, story);
	else if ("verdicts" in claim) assertSame(project.verdicts(), claim.verdicts, story);
	else if ("check" in claim) claim.check(project, results as [CallResult, ...CallResult[]]);
	else if ("payloads" in claim) {
		const shown = project.events(claim.type).map((payload, at) => {
			const keys = Object.keys(claim.payloads[at] ?? payload);
			return Object.fromEntries(keys.map((key) => [key, (payload as Readonly<Record<string, unknown>>)[key]]));
		});
		assertSame(shown, claim.payloads, story);
	}
}

function describe(words: readonly GuardWord[]): string {
	return words.map(describeWord).join(", ") || "nothing";
}

function describeWord(word: GuardWord): string {
	if (typeof word === "function") return "a word with a path of the project";
	if ("file" in word) return `file ${word.file}`;
	if ("by" in word) return `${typeof word.by === "string" ? word.by : "resumed"} (${describe(word.words)})`;
	if ("payload" in word) return word.type;
	if ("message" in word) return word.message.role;
	if ("call" in word) return describeWord(word.call);
	if ("tool" in word) return `${word.tool} ${String(word.input["path"] ?? word.input["command"] ?? "")}`.trim();
	return Object.keys(word).join();
}
