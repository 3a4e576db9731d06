/**
 * Asks models one small question: in order, each a few times, behind the gate, within a time limit. A model whose answer
 * cannot be used is asked again with the reason. Every refusal is kept with its exact reason.
 */
import { untilAborted } from "../async/until-aborted.ts";
import { asObject, type JsonObject } from "../json/read.ts";
import { cutStart } from "../text/cut.ts";
import type { ModelGate } from "./gate.ts";

export interface SideAnswer {
	readonly text: string;
	/** As the provider reported it. */
	readonly usage?: unknown;
}

/** A model to ask. A failure is a rejection, whose message is recorded. */
export interface SideModel<Given extends SideAnswer = SideAnswer> {
	/** `provider/id`. */
	readonly name: string;
	complete(prompt: string, options: { readonly maxTokens: number; readonly signal: AbortSignal }): Promise<Given>;
}

/** A refused answer, or a call that failed or was not made, with the reason. */
export interface Tried {
	readonly model: string;
	readonly reason: string;
}

export type AnswerReading<Value> =
	| { readonly ok: true; readonly value: Value }
	/** `isFault: false`: no other model could do better, so none is asked. */
	| { readonly ok: false; readonly reason: string; readonly isFault: boolean };

export interface Question<Value, Given extends SideAnswer = SideAnswer> {
	readonly models: readonly SideModel<Given>[];
	readonly gate: ModelGate;
	readonly maxTokens: number;
	/** `refused`: why the previous answer could not be used. */
	readonly prompt: (refused: string | undefined) => string | Promise<string>;
	readonly read: (answer: Given) => AnswerReading<Value>;
	readonly signal?: AbortSignal | undefined;
	/** How long one call may take. */
	readonly callMs?: number | undefined;
	/** Jobs of this name have a breaker of their own: a model that cannot do them may still do others. */
	readonly breaker?: string | undefined;
	/** How often one model is asked; by default twice. */
	readonly attempts?: number | undefined;
}

interface AskResult<Value> {
	/** Undefined: no model gave a usable answer. */
	readonly taken: { readonly value: Value; readonly model: string; readonly usage: unknown } | undefined;
	readonly tried: readonly Tried[];
	/** Calls that were made. */
	readonly calls: number;
}

const ATTEMPTS = 2;
const CALL_MS = 120_000;
const MAX_REASON_CHARS = 300;
/** No small job needs a longer answer. */
const MAX_ANSWER_CHARS = 400_000;

export async function askModels<Value, Given extends SideAnswer>(
	question: Question<Value, Given>,
): Promise<AskResult<Value>> {
	const asking = new Asking(question);
	for (const model of question.models) {
		const taken = await asking.ask(model);
		if (taken !== undefined) return { taken: taken ?? undefined, tried: asking.tried, calls: asking.calls };
	}
	return { taken: undefined, tried: asking.tried, calls: asking.calls };
}

class Asking<Value, Given extends SideAnswer> {
	readonly tried: Tried[] = [];
	calls = 0;
	readonly #question: Question<Value, Given>;

	constructor(question: Question<Value, Given>) {
		this.#question = question;
	}

	/** Undefined: try the next model; null: try none. */
	async ask(model: SideModel<Given>): Promise<AskResult<Value>["taken"] | null> {
		const { gate, signal, read, attempts = ATTEMPTS } = this.#question;
		const breaker = this.#question.breaker === undefined ? model.name : `${model.name} ${this.#question.breaker}`;
		let refused: string | undefined;
		for (let attempt = 0; attempt < attempts; attempt++) {
			signal?.throwIfAborted();
			const closed = gate.enter(breaker);
			if (closed !== undefined) {
				this.tried.push({ model: model.name, reason: closed });
				return undefined;
			}
			try {
				this.calls++;
				const answer = await this.#call(model, refused);
				const reading = read(answer);
				if (reading.ok || !reading.isFault) gate.passed(breaker);
				if (reading.ok) return { value: reading.value, model: model.name, usage: answer.usage };
				refused = reading.reason;
				if (!reading.isFault) {
					this.tried.push({ model: model.name, reason: refused });
					return null;
				}
			} catch (error) {
				// Cancelled by the caller: not the model's failure.
				signal?.throwIfAborted();
				refused = reasonOf(error);
			}
			gate.failed(breaker);
			this.tried.push({ model: model.name, reason: refused });
		}
		return undefined;
	}

	/** Does not wait for a model that ignores its signal. */
	async #call(model: SideModel<Given>, refused: string | undefined): Promise<Given> {
		const { signal: outer, callMs = CALL_MS, maxTokens } = this.#question;
		const prompt = await this.#question.prompt(refused);
		const timeout = AbortSignal.timeout(callMs);
		const signal = outer ? AbortSignal.any([outer, timeout]) : timeout;
		const answer = await untilAborted(signal, () => model.complete(prompt, { maxTokens, signal }));
		if (typeof answer?.text !== "string") throw new Error("the answer has no text");
		if (answer.text.length > MAX_ANSWER_CHARS) throw new Error(`the answer has ${answer.text.length} characters`);
		return answer;
	}
}

function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message || error.name : String(error);
	return cutStart(text.replace(/\s+/g, " ").trim() || "it failed without a word", MAX_REASON_CHARS).toWellFormed();
}

/** The JSON object in a model's answer: alone, in a fence, or with words around it. */
export function readJsonAnswer(answer: SideAnswer): AnswerReading<JsonObject> {
	const text = answer.text.trim();
	const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1];
	const from = text.indexOf("{");
	const to = text.lastIndexOf("}");
	const around = from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
	let wrong = "there is no JSON object in it";
	for (const candidate of [fenced, around]) {
		if (candidate === undefined) continue;
		try {
			const object = asObject(JSON.parse(candidate));
			if (object) return { ok: true, value: object };
		} catch (error) {
			wrong = `it is not JSON: ${(error as Error).message}`;
		}
	}
	return { ok: false, reason: wrong, isFault: true };
}
