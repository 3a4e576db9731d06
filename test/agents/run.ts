/** One session of an agent under one setting: what the model got, and what the log holds, in words that no agent has of its own. */
import type { EventRecord } from "../../src/log/event/types.ts";
import type { SessionName } from "../../src/state/memory/memory-files.ts";
import { ClaudeCodeDriver } from "./claude-code.ts";
import { CodexDriver, CodexResidentDriver } from "./codex.ts";
import type { AgentDriver, CallOutcome } from "./driver.ts";
import { OpenClawDriver } from "./openclaw.ts";
import { OpencodeDriver } from "./opencode.ts";
import { PiDriver } from "./pi.ts";
import { type AgentName, PORTS, type PortFacts } from "./port.ts";
import { FILES, play, REMEMBERED, type ScriptStep, type Trace } from "./script.ts";
import { AgentWorld, type SettingName } from "./world.ts";

/** In OpenClaw each conversation has a memory of its own. */
const OWN_MEMORY: Partial<Readonly<Record<AgentName, SessionName>>> = { openclaw: { session: "s1", host: "openclaw" } };

const DRIVERS: Readonly<Record<AgentName, new (world: AgentWorld) => AgentDriver>> = {
	pi: PiDriver,
	"claude-code": ClaudeCodeDriver,
	codex: CodexDriver,
	"codex-resident": CodexResidentDriver,
	opencode: OpencodeDriver,
	openclaw: OpenClawDriver,
};

export class AgentRun {
	readonly agent: AgentName;
	readonly port: PortFacts;
	readonly events: readonly EventRecord[];
	/** What the user was told. */
	readonly said: readonly string[];
	readonly #trace: Trace;
	readonly #project: string;

	constructor(agent: AgentName, trace: Trace, of: Pick<AgentRun, "events" | "said"> & { readonly project: string }) {
		this.agent = agent;
		this.port = PORTS[agent];
		this.events = of.events;
		this.said = of.said;
		this.#trace = trace;
		this.#project = of.project;
	}

	call(step: string): CallOutcome {
		const outcome = this.#trace.calls.get(step);
		if (!outcome) throw new Error(`There was no call '${step}'.`);
		return outcome;
	}

	calls(): ReadonlyMap<string, CallOutcome> {
		return this.#trace.calls;
	}

	/** Steps at which the model was given something, with it. */
	given(): ReadonlyMap<string, string> {
		return new Map([...this.#trace.given].filter(([, text]) => text !== ""));
	}

	refusal(step: string): string | undefined {
		const { refusal } = this.call(step);
		return refusal === undefined ? undefined : this.plain(refusal);
	}

	/** Each without our name. */
	notes(step: string): string[] {
		const { output, beside } = this.call(step);
		return [output, beside].flatMap((text) => text.split(NOTE).slice(1)).map((note) => this.plain(note));
	}

	/** The tool's own words. */
	output(step: string): string {
		return this.call(step).output.split(NOTE)[0] ?? "";
	}

	recall(step: string): string | undefined {
		return RECALL.exec(this.#trace.given.get(step) ?? "")?.[0];
	}

	/** For what left: at the compaction itself, or with the words that follow it. */
	seed(): string {
		const texts = ["compaction", "prompt after the compaction"].map((step) => this.#trace.given.get(step) ?? "");
		return texts.join("\n").replace(RECALL, "").trim();
	}

	/** Of one type, what does not depend on the agent's ids. */
	eventsOf(type: string): unknown[] {
		const fields = FIELDS[type];
		if (!fields) throw new Error(`It is not known which fields of ${type} are the same everywhere.`);
		const own = this.events.filter((event) => event.type === type && !this.#isRead(event));
		return own.map(({ payload }) =>
			fields.map((field) => {
				// Not every agent tells what a whole file held before.
				if (field === "removed" && payload["kind"] === "write") return undefined;
				const value = payload[field];
				return typeof value === "string" ? this.plain(value) : value;
			}),
		);
	}

	/** Without what only this agent, or this run, has: names of tools and arguments, the folder, numbers of events. */
	plain(text: string): string {
		const { read, path } = this.port.tools;
		return text
			.replaceAll(`${this.#project}/`, "")
			.replaceAll(/\(#\d+\)/g, "(#1)")
			.replaceAll(/(weft rewind .*--to )\d+/g, "$1N")
			.replaceAll(`call ${read} with {"${path}":`, 'call READ with {"PATH":');
	}

	/** A command that only stands for a read. */
	#isRead({ type, payload }: EventRecord): boolean {
		return this.port.readsByShell && type === "CommandRun" && /^cat /.test(String(payload["command"]));
	}
}

const NOTE = /(?:^|\n\n)\[weft\] /;
const RECALL = /<runtime_context>[\s\S]*?<\/runtime_context>/;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
	UserIntent: ["text"],
	FileRead: ["path", "from"],
	FileChanged: ["path", "kind", "added", "removed", "actor"],
	CommandRun: ["command", "exit", "by"],
	TestStatus: ["command", "status", "failed"],
	Verdict: ["verdict", "rule", "mode", "path", "reason"],
	MemoryWrite: ["file", "why"],
	Seal: ["mode"],
	Fault: ["where", "message"],
};

export interface RunOptions {
	readonly steps?: readonly ScriptStep[] | undefined;
	/** Called before the agent starts. */
	readonly prepare?: ((world: AgentWorld) => void) | undefined;
	/** Called after the agent has ended. */
	readonly after?: ((world: AgentWorld) => void) | undefined;
	readonly before?: ((step: ScriptStep, world: AgentWorld, driver: AgentDriver) => void | Promise<void>) | undefined;
}

export async function run(agent: AgentName, setting: SettingName, options: RunOptions = {}): Promise<AgentRun> {
	using world = new AgentWorld({ setting, files: FILES, remembers: REMEMBERED, memoryOf: OWN_MEMORY[agent] });
	options.prepare?.(world);
	const driver = new DRIVERS[agent](world);
	const before = (step: ScriptStep) => options.before?.(step, world, driver);
	const environment = { ...process.env };
	try {
		const trace = await play(driver, world, options.steps, { before });
		options.after?.(world);
		return new AgentRun(agent, trace, { events: world.events(), said: driver.said, project: world.project });
	} finally {
		await driver.close?.();
		for (const name of Object.keys(process.env)) delete process.env[name];
		Object.assign(process.env, environment);
	}
}

const runs = new Map<string, Promise<AgentRun>>();

/** The whole script; played once for all that look at it. */
export function runOf(agent: AgentName, setting: SettingName): Promise<AgentRun> {
	const key = `${agent} ${setting}`;
	const known = runs.get(key) ?? run(agent, setting);
	runs.set(key, known);
	return known;
}
