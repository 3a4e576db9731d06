/**
 * What the scripted model says to an agent: the next step to each request of the main loop, its own steps to each sub-agent,
 * a summary to a compaction. Anything beside that gets a short answer.
 */
import type { ModelAnswer, ModelRequest, ScriptedCall } from "../../test/rig/answer.ts";

export type Step = ModelAnswer | ((request: ModelRequest) => ModelAnswer);

/** Of a request: of the main loop, of a sub-agent, for a summary, beside all that. */
export type Kind = "step" | "agent" | "compaction" | "side";

export class Script {
	readonly #kindOf: (request: ModelRequest) => Kind;
	readonly #steps: Step[] = [];
	readonly #agentSteps: Step[] = [];
	/** By kind, in the order of the requests. */
	readonly kinds: Kind[] = [];
	summary = "<analysis>short</analysis><summary>The ledger is being put in order.</summary>";
	/** The answer to requests beside the loop: titles, and weft's own jobs. */
	side: (request: ModelRequest) => ModelAnswer = () => ({ text: "ok" });
	#calls = 0;

	constructor(kindOf: (request: ModelRequest) => Kind = kindInClaude) {
		this.#kindOf = kindOf;
	}

	get left(): number {
		return this.#steps.length + this.#agentSteps.length;
	}

	add(...steps: readonly Step[]): void {
		this.#steps.push(...steps);
	}

	addForAgent(...steps: readonly Step[]): void {
		this.#agentSteps.push(...steps);
	}

	/** A call with an id of its own. */
	call(
		name: string,
		args: Readonly<Record<string, unknown>>,
		more?: Pick<ScriptedCall, "input" | "namespace">,
	): ScriptedCall {
		return { id: `toolu_${String(++this.#calls).padStart(20, "0")}`, name, args, ...more };
	}

	answer = (request: ModelRequest): ModelAnswer => {
		const kind = this.#kindOf(request);
		this.kinds[request.index] = kind;
		if (kind === "compaction") return { text: this.summary };
		if (kind === "side") return this.side(request);
		const step = (kind === "agent" ? this.#agentSteps : this.#steps).shift();
		if (!step) return { text: "There is nothing more to do." };
		return typeof step === "function" ? step(request) : step;
	};
}

function kindInClaude({ headers, body, json }: ModelRequest): Kind {
	if (body.includes("CRITICAL: Respond with TEXT ONLY")) return "compaction";
	const tools = json["tools"];
	if (!Array.isArray(tools) || tools.length === 0) return "side";
	return headers["x-claude-code-agent-id"] === undefined ? "step" : "agent";
}
