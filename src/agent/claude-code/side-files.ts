/**
 * The other files of a session: whole outputs that its transcript cuts, and the sub-agents' transcripts with a note on each.
 * `<session>.jsonl`, `<session>/tool-results/…`, `<session>/subagents/agent-<id>.jsonl` and `.meta.json`.
 */
import { basename, dirname, join } from "node:path";
import { namesIn, readWithin, textOf } from "../../base/file/regular-file.ts";
import { asName, parseObject } from "../../base/json/read.ts";
import type { Usage } from "../../message/usage.ts";
import { readSideFile } from "../recorded/side-file.ts";
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
		const name = `${basename(this.#path, ".jsonl")}.meta.json`;
		return asName(parseObject(readSideFile(dirname(this.#path), name))?.["toolUseId"]);
	}

	/** The usage of all sub-agents' answers, by model. */
	agentUsage(): ReadonlyMap<string, Usage> {
		const sums = new UsageSums();
		const folder = join(this.#folder, "subagents");
		for (const name of namesIn(folder)) {
			if (!name.endsWith(".jsonl")) continue;
			const lines = textOf(readWithin(folder, name, MAX_AGENT_BYTES))?.split("\n") ?? [];
			for (const text of lines) {
				const line = text.includes('"usage"') ? parseObject(text) : undefined;
				if (line) sums.add(line);
			}
		}
		return sums.byModel();
	}
}
