/**
 * What the scripted model says to an agent: the next step to each request of the main loop, its own steps to each sub-agent,
 * a summary to a compaction. Anything beside that gets a short answer.
 */
import type { ModelAnswer, ModelRequest, ScriptedCall } from "../../test/rig/answer.ts";

export type Step = ModelAnswer | ((request: ModelRequest) => ModelAnswer);

export class Script {
	readonly #steps: Step[] = [];
	readonly #agentSteps: Step[] = [];
	/** By kind, in the order of the requests. */
	readonly kinds: ("step" | "agent" | "compaction" | "side")[] = [];
	summary = "<analysis>short</analysis><summary>The ledger is being put in order.</summary>";
	#calls = 0;

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
	call(name: string, args: Readonly<Record<string, unknown>>): ScriptedCall {
		return { id: `toolu_${String(++this.#calls).padStart(20, "0")}`, name, args };
	}

	answer = (request: ModelRequest): ModelAnswer => {
		const kind = kindOf(request);
		this.kinds[request.index] = kind;
		if (kind === "compaction") return { text: this.summary };
		if (kind === "side") return { text: "ok" };
		const step = (kind === "agent" ? this.#agentSteps : this.#steps).shift();
		if (!step) return { text: "There is nothing more to do." };
		return typeof step === "function" ? step(request) : step;
	};
}

function kindOf({ headers, body, json }: ModelRequest): Script["kinds"][number] {
	if (body.includes("CRITICAL: Respond with TEXT ONLY")) return "compaction";
	const tools = json["tools"];
	if (!Array.isArray(tools) || tools.length === 0) return "side";
	return headers["x-claude-code-agent-id"] === undefined ? "step" : "agent";
}
