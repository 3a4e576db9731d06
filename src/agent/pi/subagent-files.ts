/** Sub-agents that a file defines: `agents/NAME.md` in Pi's folder of the user, or of a project that Pi trusts. */
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { namesIn, readBounded } from "../../base/file/regular-file.ts";
import { MEMORY_SCOPES, type MemoryScope } from "../../state/memory/skill/skill.ts";
import type { LivePi } from "./live.ts";

const MAX_BYTES = 64 * 1024;
const MAX_FILES = 100;
const MAX_NAMED = 20;
const ENDING = ".md";

export interface NamedSubagent {
	/** What it is told beside Pi's own system prompt. */
	readonly role: string;
	readonly tools: readonly string[] | undefined;
	/** Undefined: the task alone. */
	readonly memory: MemoryScope | undefined;
	/** `provider/id`. Undefined: the model of its parent. */
	readonly model: string | undefined;
}

/** Throws for a name that no file has, with those that there are. */
export async function namedSubagent(live: LivePi, name: string): Promise<NamedSubagent> {
	const files = agentFiles(live);
	const file = files.get(name);
	if (file === undefined) throw new Error(`There is no sub-agent '${name.slice(0, 80)}'. ${listed([...files.keys()])}`);
	const reading = readBounded(file, MAX_BYTES);
	if (reading.kind !== "bytes") throw new Error(`${file} cannot be read, or is larger than 64 kB.`);
	// The parser is large, and most sessions need none.
	const { readHead } = await import("../../state/memory/skill/skill-reader.ts");
	const { fields, body, problems } = readHead(file, reading.bytes.toString("utf8"));
	const agent = {
		role: body.trim(),
		tools: fields?.texts("tools"),
		memory: fields?.choice("memory", MEMORY_SCOPES),
		model: fields?.text("model"),
	};
	const [problem] = problems;
	// Running it with other tools than its file names could do harm.
	if (problem) throw new Error(`${problem.file}:${problem.line}: ${problem.message}.`);
	return agent;
}

function listed(names: readonly string[]): string {
	return names.length === 0 ? "No file defines one." : `There are: ${names.slice(0, MAX_NAMED).join(", ")}.`;
}

/** By name; the project's take precedence. */
function agentFiles({ engine, ctx }: LivePi): ReadonlyMap<string, string> {
	const user = process.env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".pi/agent");
	const project = ctx.isProjectTrusted() ? [join(engine.project.root, ".pi")] : [];
	const files = [user, ...project].flatMap((folder) => filesIn(join(folder, "agents")));
	return new Map(files.map((file) => [basename(file, ENDING), file]));
}

function filesIn(folder: string): readonly string[] {
	return namesIn(folder)
		.filter((name) => name.endsWith(ENDING) && !name.startsWith("."))
		.sort()
		.slice(0, MAX_FILES)
		.map((name) => join(folder, name));
}
