/** Tells which side chain a line belongs to: its agent's, or, in files that name no agents, that of the chain's first line. */
import { asName, type JsonObject } from "../../base/json/read.ts";

export interface AgentCall {
	readonly id: string;
	/** The message that made the call. */
	readonly entry: string;
}

/** Prompts wait for a side chain that begins with them. Those of agents with files of their own wait in vain. */
const MAX_EXPECTED = 500;

export class SideChains {
	/** Line to the first line of its side chain. */
	readonly #roots = new Map<string, string>();
	readonly #expected: { readonly prompt: string; readonly call: AgentCall }[] = [];

	/** Undefined for a line of the main session. */
	of(line: JsonObject, agentOfFile: string | undefined): string | undefined {
		if (line["isSidechain"] !== true && agentOfFile === undefined) return undefined;
		const agent = asName(line["agentId"]) ?? agentOfFile;
		if (agent !== undefined) return agent;
		const id = asName(line["uuid"]);
		const root = this.#roots.get(asName(line["parentUuid"]) ?? "") ?? id ?? "side";
		if (id !== undefined) this.#roots.set(id, root);
		return root;
	}

	expect(prompt: string, call: AgentCall): void {
		this.#expected.push({ prompt, call });
		if (this.#expected.length > MAX_EXPECTED) this.#expected.shift();
	}

	/** The oldest call with this prompt that has no side chain yet. */
	claim(prompt: string): AgentCall | undefined {
		const at = this.#expected.findIndex((expected) => expected.prompt === prompt);
		return at === -1 ? undefined : this.#expected.splice(at, 1)[0]?.call;
	}
}
