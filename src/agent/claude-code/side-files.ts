/**
 * The other files of a session: whole outputs that its transcript cuts, and the sub-agents' transcripts with a note on each.
 * `<session>.jsonl`, `<session>/tool-results/…`, `<session>/subagents/agent-<id>.jsonl` and `.meta.json`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { asName, parseObject } from "../../base/json/read.ts";
import type { Usage } from "../../message/usage.ts";
import { readWholeOutput } from "../recorded/whole-output.ts";
import { UsageSums } from "./usage-sums.ts";

const MAX_AGENT_BYTES = 256 * 1024 * 1024;

export class SideFiles {
	/** The folder named after the session. */
	readonly #folder: string;
	readonly #path: string;

	constructor(path: string) {
		this.#path = path;
		const isAgents = basename(dirname(path)) === "subagents";
		this.#folder = isAgents ? dirname(dirname(path)) : path.replace(/\.jsonl$/, "");
	}

	/** The whole output, if the transcript has only its beginning. */
	wholeOutput(path: string): Buffer | undefined {
		return readWholeOutput(join(this.#folder, "tool-results"), path);
	}

	/** The call that started this file's agent. */
	callOfAgent(): string | undefined {
		try {
			const meta = parseObject(readFileSync(this.#path.replace(/\.jsonl$/, ".meta.json"), "utf8"));
			return asName(meta?.["toolUseId"]);
		} catch {
			return undefined;
		}
	}

	/** The usage of all sub-agents' answers, by model. */
	agentUsage(): ReadonlyMap<string, Usage> {
		const sums = new UsageSums();
		const folder = join(this.#folder, "subagents");
		for (const name of namesIn(folder)) {
			if (!name.endsWith(".jsonl")) continue;
			const reading = readBounded(join(folder, name), MAX_AGENT_BYTES);
			if (reading.kind !== "bytes") continue;
			for (const text of reading.bytes.toString("utf8").split("\n")) {
				const line = text.includes('"usage"') ? parseObject(text) : undefined;
				if (line) sums.add(line);
			}
		}
		return sums.byModel();
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
