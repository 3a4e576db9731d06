/**
 * weft in Pi. Every hook takes the same steps, defined only here:
 *
 *   1. record the request that has left since the last hook (`settleRequest`);
 *   2. record Pi's new entries (`recorder`);
 *   3. record the seal that Pi has accepted, now an entry of its session (`settleSeal`);
 *   4. answer with the hook's own function (`hooks.ts`).
 *
 * All state is in `Extension` and `LivePi`, because Pi keeps modules across sessions and calls the factory again. Heavy imports
 * wait until a session starts with weft enabled. When weft fails, Pi carries on by itself.
 */
import type {
	AgentStartEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionCompactEvent,
	SessionShutdownEvent,
	SessionStartEvent,
} from "@earendil-works/pi-coding-agent";
import { printable } from "../../base/text/printable.ts";
import type { ToolDefinition } from "../../context/envelope/envelope.ts";
import { Door, type Fault } from "../live/door.ts";
import type { Hooks } from "./hooks.ts";
import type { LivePi } from "./live.ts";
import { PARENT_VARIABLE } from "./port.ts";
import { type OpenedSession, openLive } from "./session-opening.ts";

/** Called only for sessions with weft enabled. */
export interface RegisterOptions {
	/** After each run, with its number of messages. */
	readonly onRunEnded?: ((messages: number) => void) | undefined;
	/** After the session has ended. */
	readonly onEnded?: (() => void) | undefined;
}

let isRegistered = false;

export function register(pi: ExtensionAPI, options: RegisterOptions = {}): void {
	// A sub-agent gets the extension from its parent and may have it installed as well: register only once.
	if (process.env[PARENT_VARIABLE] !== undefined) {
		if (isRegistered) return;
		isRegistered = true;
	}
	const weft = new Extension(pi, options);
	pi.on("session_start", (event, ctx) => weft.start(event, ctx));
	pi.on("agent_start", (event) => weft.mapRepository(event));

	pi.on("input", weft.answer("input"));
	pi.on("before_agent_start", weft.run("before_agent_start"));
	pi.on("context", weft.answer("context"));
	pi.on("before_provider_request", weft.answer("before_provider_request"));
	pi.on("message_end", weft.answer("message_end"));
	pi.on("tool_call", weft.answer("tool_call"));
	pi.on("tool_result", weft.answer("tool_result"));
	const endTurn = weft.answer("turn_end");
	pi.on("turn_end", async (event, ctx) => {
		const ended = await endTurn(event, ctx);
		weft.showStatus(ctx);
		return ended;
	});
	pi.on("session_before_compact", weft.answer("session_before_compact"));

	// Pi has just appended entries. A message becomes an entry after its message_end: the next of these records it.
	pi.on("message_start", (event, ctx) => weft.follow(event, ctx));
	pi.on("after_provider_response", (event, ctx) => weft.follow(event, ctx));
	pi.on("agent_end", (event, ctx) => {
		weft.follow(event, ctx);
		if (weft.isOpen) options.onRunEnded?.(event.messages.length);
	});
	pi.on("agent_settled", weft.run("agent_settled"));
	pi.on("session_before_switch", weft.run("session_before_switch"));
	pi.on("session_info_changed", (event, ctx) => weft.follow(event, ctx));
	const noteModel = weft.because("another model");
	pi.on("model_select", (event, ctx) => {
		noteModel(event, ctx);
		weft.tellAhead(event);
	});
	pi.on("thinking_level_select", weft.because("another thinking level"));
	pi.on("session_compact", (event, ctx) => weft.compacted(event, ctx));
	// The leaf moves between these two.
	pi.on("session_before_tree", (event, ctx) => weft.follow(event, ctx));
	pi.on("session_tree", weft.because("another branch", "catchUp"));
	pi.on("session_shutdown", (event, ctx) => weft.shutDown(event, ctx));
}

type AnsweringHook = Exclude<keyof Hooks, "settleRequest" | "settleSeal" | "tellAhead" | "beside">;
type PiHookEvent<Name extends AnsweringHook> = Parameters<Hooks[Name]>[0];
type PiHookAnswer<Name extends AnsweringHook> = Exclude<Awaited<ReturnType<Hooks[Name]>>, undefined>;
type PiHandler<Event, Answer> = (event: Event, ctx: ExtensionContext) => Answer;

interface NamedEvent {
	readonly type: string;
}

class Extension {
	readonly #pi: ExtensionAPI;
	readonly #options: RegisterOptions;
	readonly #door: Door;
	readonly #memoryDoor: Door;
	readonly #ending = new AbortController();
	#opening: Promise<OpenedSession | undefined> | undefined;
	#opened: OpenedSession | undefined;
	#equipment: Equipment | undefined;
	#ctx: ExtensionContext | undefined;
	#isMapped = false;

	constructor(pi: ExtensionAPI, options: RegisterOptions) {
		this.#pi = pi;
		this.#options = options;
		const reporting = {
			record: (fault: Fault) => this.#opened?.live.recorder.fault(fault),
			tell: (notice: string) => warn(this.#ctx, notice),
		};
		this.#door = new Door({ ...reporting, consequence: "Pi carries on without weft's record" });
		this.#memoryDoor = new Door({ ...reporting, consequence: "Everything else carries on" });
	}

	get isOpen(): boolean {
		return this.#opened !== undefined;
	}

	/** In rpc mode Pi calls this twice for one session: the second time finds nothing new. */
	async start(event: SessionStartEvent, ctx: ExtensionContext): Promise<void> {
		this.#ctx = ctx;
		await this.#door.passAsync(event.type, async () => {
			this.#opening ??= this.#open(ctx);
			this.#opened = await this.#opening;
			if (!this.#opened) return;
			this.follow(event, ctx, "catchUp");
			this.#opened.live.summaries.start(this.#opened.live);
			this.#equipment ??= await equip(this.#pi, () => this.#opened?.live);
			this.showStatus(ctx);
			this.tellAhead(event);
		});
	}

	tellAhead(event: NamedEvent): void {
		if (!this.#opened) return;
		const { hooks, live } = this.#opened;
		this.#door.pass(event.type, () => hooks.tellAhead(live));
	}

	#open(ctx: ExtensionContext): Promise<OpenedSession | undefined> {
		const [pi, door] = [this.#pi, this.#door];
		return openLive(ctx, door, {
			tools: () => activeTools(pi),
			// Programs made from Pi may lack it.
			thinkingLevel: () => pi.getThinkingLevel?.(),
			warn: (notice) => door.tell(notice),
			onFailure: (where, error) => this.#memoryDoor.fail(where, error),
			appendEntry: (customType, data) => pi.appendEntry(customType, data),
		});
	}

	/** Steps 1 to 3. */
	follow(event: NamedEvent, ctx: ExtensionContext, how: "follow" | "catchUp" = "follow"): void {
		this.#ctx = ctx;
		if (!this.#opened) return;
		const { hooks, live } = this.#opened;
		live.at(ctx);
		this.#door.pass(event.type, () => hooks.settleRequest(live));
		this.#door.pass(event.type, () => live.recorder[how](ctx.sessionManager));
		this.#door.pass(event.type, () => hooks.settleSeal(live));
	}

	/** All four steps. Undefined: weft has no answer, or has failed. */
	answer<Name extends AnsweringHook>(
		name: Name,
	): PiHandler<PiHookEvent<Name>, Promise<PiHookAnswer<Name> | undefined>> {
		return async (event, ctx) => {
			this.follow(event, ctx);
			if (!this.#opened) return undefined;
			const { hooks, live } = this.#opened;
			const hook = hooks[name] as (event: PiHookEvent<Name>, live: LivePi) => ReturnType<Hooks[Name]>;
			return this.#door.passAsync(name, async () => (await hook(event, live)) as PiHookAnswer<Name>);
		};
	}

	/** All four steps, for a hook without an answer. */
	run<Name extends AnsweringHook>(name: Name): PiHandler<PiHookEvent<Name>, Promise<void>> {
		const answer = this.answer(name);
		return async (event, ctx) => {
			await answer(event, ctx);
		};
	}

	/** For an event that explains why the next request changes bytes already sent. */
	because(reason: string, how?: "catchUp"): PiHandler<NamedEvent, void> {
		return (event, ctx) => {
			this.#opened?.live.reasons.add(reason);
			this.follow(event, ctx, how);
		};
	}

	showStatus(ctx: ExtensionContext): void {
		this.#equipment?.showStatus(ctx);
	}

	/** Once, in the background. */
	mapRepository(event: AgentStartEvent): void {
		if (!this.#opened || this.#isMapped) return;
		this.#isMapped = true;
		const { live, hooks } = this.#opened;
		void this.#door.passAsync(event.type, () => hooks.beside(live, this.#ending.signal));
	}

	compacted(event: SessionCompactEvent, ctx: ExtensionContext): void {
		// A seal by weft adds its own reason.
		if (weftDetails(event.compactionEntry) === undefined) this.#opened?.live.reasons.add("compaction");
		this.follow(event, ctx);
		this.#door.pass(event.type, () => appendNodes(this.#pi, event.compactionEntry));
		const opened = this.#opened;
		if (opened) this.#door.pass(event.type, () => opened.hooks.session_compact(event, opened.live));
	}

	async shutDown(event: SessionShutdownEvent, ctx: ExtensionContext): Promise<void> {
		this.#ending.abort();
		this.follow(event, ctx);
		const live = this.#opened?.live;
		live?.summaries.end();
		if (live) this.#door.pass(event.type, () => live.project.end(live.session));
		this.#opened = undefined;
		this.#opening = undefined;
		if (!live) return;
		await this.#door.passAsync(event.type, async () => {
			const { takePruneNotice } = await import("./session-modules.ts");
			// With a screen, which is about to close, the next session shows the notice.
			const onPruned = () => (ctx.hasUI ? undefined : this.#door.tell(takePruneNotice(live.engine.log) ?? ""));
			await live.recorder.end(ctx.sessionManager, onPruned);
		});
		this.#options.onEnded?.();
	}
}

interface Equipment {
	readonly showStatus: (ctx: ExtensionContext) => void;
}

/** Tools for the model, in every mode; commands and a status line for people. */
async function equip(pi: ExtensionAPI, live: () => LivePi | undefined): Promise<Equipment> {
	const { registerTools, registerSubagent, registerCommands, registerStatus } = await import("./session-modules.ts");
	registerTools(pi, live);
	registerSubagent(pi, live);
	registerCommands(pi, live);
	return { showStatus: registerStatus(pi, live) };
}

function activeTools(pi: ExtensionAPI): ToolDefinition[] {
	const active = new Set(pi.getActiveTools());
	const tools = pi.getAllTools().filter(({ name }) => active.has(name));
	return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** Puts the ids of the summaries into the session itself, so that it can be understood without weft. */
function appendNodes(pi: ExtensionAPI, entry: { readonly details?: unknown; readonly firstKeptEntryId: string }): void {
	const details = weftDetails(entry);
	if (details) pi.appendEntry("weft.nodes", { nodes: details.nodes ?? [], from: entry.firstKeptEntryId });
}

/** Undefined: the compaction is not from weft. */
function weftDetails({ details }: { readonly details?: unknown }) {
	const fields = details as { readonly weft?: string; readonly nodes?: readonly string[] } | undefined;
	return fields?.weft === undefined ? undefined : fields;
}

/** On the screen if there is one; otherwise on stderr. */
function warn(ctx: ExtensionContext | undefined, notice: string): void {
	try {
		if (ctx?.hasUI) ctx.ui.notify(`weft: ${notice}`, "warning");
		else process.stderr.write(`weft: ${printable(notice)}\n`);
	} catch {
		// The session is gone.
	}
}
