/**
 * weft in Pi. Every hook goes the same way, which is said here and nowhere else:
 *
 *   1. the request that has left since the last hook is written down (`settleRequest`);
 *   2. Pi's new entries are recorded (`recorder`);
 *   3. the seal that Pi has taken, now an entry of its session, is written down (`settleSeal`);
 *   4. the hook's own function answers (`hooks.ts`).
 *
 * All state lives in here and in `LivePi`, because Pi keeps modules across sessions and calls the factory again. Heavy imports
 * wait until a session starts and weft is wanted. Whatever fails, Pi goes on by itself.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../base/text/printable.ts";
import type { ToolDefinition } from "../../context/envelope/envelope.ts";
import { Door, type Fault } from "../live/door.ts";
import type { Hooks } from "./hooks.ts";
import type { LivePi } from "./live.ts";
import { PARENT_VARIABLE } from "./port.ts";
import { type OpenedSession, openLive } from "./session-opening.ts";

export interface RegisterOptions {
	/** In place of weft's own answers: how tests break them. */
	readonly hooks?: Partial<Hooks> | undefined;
	/** Told of a session that weft takes part in: a run is over, with so many messages; and the session itself. */
	readonly onRunEnded?: ((messages: number) => void) | undefined;
	readonly onEnded?: (() => void) | undefined;
}

let isRegistered = false;

type AnsweringHook = Exclude<keyof Hooks, "settleRequest" | "settleSeal" | "beside">;
type PiHookEvent<Name extends AnsweringHook> = Parameters<Hooks[Name]>[0];
type PiHookAnswer<Name extends AnsweringHook> = Exclude<Awaited<ReturnType<Hooks[Name]>>, undefined>;

export function register(pi: ExtensionAPI, options: RegisterOptions = {}): void {
	// A sub-agent is given the extension by its parent, and may have it installed as well: once is enough.
	if (process.env[PARENT_VARIABLE] !== undefined) {
		if (isRegistered) return;
		isRegistered = true;
	}
	let opening: Promise<OpenedSession | undefined> | undefined;
	let opened: OpenedSession | undefined;
	let equipment: Equipment | undefined;
	let current: ExtensionContext | undefined;
	const ending = new AbortController();
	const telling = {
		record: (fault: Fault) => opened?.live.recorder.fault(fault),
		tell: (notice: string) => notify(current, notice, "warning"),
	};
	const door = new Door({ ...telling, consequence: "Pi carries on without weft's record" });
	const memoryDoor = new Door({ ...telling, consequence: "Everything else carries on" });

	/** Steps 1 to 3. */
	const follow = (
		event: { readonly type: string },
		ctx: ExtensionContext,
		how: "follow" | "catchUp" = "follow",
	): void => {
		current = ctx;
		if (!opened) return;
		const { hooks, live } = opened;
		live.at(ctx);
		door.pass(event.type, () => hooks.settleRequest(live));
		door.pass(event.type, () => live.recorder[how](ctx.sessionManager));
		door.pass(event.type, () => hooks.settleSeal(live));
	};
	/** All four steps; undefined where weft has no answer, or where it fails. */
	const answer =
		<Name extends AnsweringHook>(name: Name) =>
		async (event: PiHookEvent<Name>, ctx: ExtensionContext): Promise<PiHookAnswer<Name> | undefined> => {
			follow(event, ctx);
			if (!opened) return undefined;
			const { hooks, live } = opened;
			const hook = hooks[name] as (event: PiHookEvent<Name>, of: LivePi) => ReturnType<Hooks[Name]>;
			return door.passAsync(name, async () => (await hook(event, live)) as PiHookAnswer<Name>);
		};
	const because = (reason: string) => (event: { readonly type: string }, ctx: ExtensionContext) => {
		opened?.live.reasons.add(reason);
		follow(event, ctx, reason === "another branch" ? "catchUp" : "follow");
	};

	// In rpc mode this fires twice for one session: the second time there is nothing new.
	pi.on("session_start", async (event, ctx) => {
		current = ctx;
		await door.passAsync(event.type, async () => {
			opening ??= openLive(ctx, door, {
				hooks: options.hooks,
				mention: (at, notice) => notify(at.hasUI ? at : undefined, notice, "info"),
				onMode: () => equipment?.renew(),
				tools: () => activeTools(pi),
				warn: (notice) => door.tell(notice),
				onFailure: (where, error) => memoryDoor.fail(where, error),
				appendEntry: (customType, data) => pi.appendEntry(customType, data),
			});
			opened = await opening;
			if (!opened) return;
			follow(event, ctx, "catchUp");
			opened.live.summaries.start(opened.live);
			equipment ??= await equip(pi, () => opened?.live);
			equipment.showStatus(ctx);
		});
	});

	let isMapped = false;
	pi.on("agent_start", (event) => {
		if (!opened || isMapped) return;
		isMapped = true;
		const { live, hooks } = opened;
		void door.passAsync(event.type, () => hooks.beside(live, ending.signal));
	});

	pi.on("input", answer("input"));
	pi.on("before_agent_start", async (event, ctx) => {
		await answer("before_agent_start")(event, ctx);
	});
	pi.on("context", answer("context"));
	pi.on("before_provider_request", answer("before_provider_request"));
	pi.on("message_end", answer("message_end"));
	pi.on("tool_call", answer("tool_call"));
	pi.on("tool_result", answer("tool_result"));
	pi.on("turn_end", async (event, ctx) => {
		const ended = await answer("turn_end")(event, ctx);
		equipment?.showStatus(ctx);
		return ended;
	});
	pi.on("session_before_compact", answer("session_before_compact"));

	// Where Pi has just appended entries. A message is one only after its message_end: the next of these sees it.
	pi.on("message_start", (event, ctx) => follow(event, ctx));
	pi.on("after_provider_response", (event, ctx) => follow(event, ctx));
	pi.on("agent_end", (event, ctx) => {
		follow(event, ctx);
		if (opened) options.onRunEnded?.(event.messages.length);
	});
	pi.on("agent_settled", async (event, ctx) => {
		await answer("agent_settled")(event, ctx);
	});
	pi.on("session_before_switch", async (event, ctx) => {
		await answer("session_before_switch")(event, ctx);
	});
	pi.on("session_info_changed", (event, ctx) => follow(event, ctx));
	pi.on("model_select", because("another model"));
	pi.on("thinking_level_select", because("another thinking level"));
	pi.on("session_compact", (event, ctx) => {
		// A seal of ours has its own reason.
		if (weftDetails(event.compactionEntry) === undefined) opened?.live.reasons.add("compaction");
		follow(event, ctx);
		door.pass(event.type, () => leaveNodes(pi, event.compactionEntry));
		if (opened) door.pass(event.type, () => opened?.hooks.session_compact(event, opened.live));
	});
	// Between these two the leaf moves.
	pi.on("session_before_tree", (event, ctx) => follow(event, ctx));
	pi.on("session_tree", because("another branch"));

	pi.on("session_shutdown", async (event, ctx) => {
		ending.abort();
		follow(event, ctx);
		const last = opened;
		last?.live.summaries.end();
		if (last) door.pass(event.type, () => last.live.project.end(last.live.session));
		opened = undefined;
		opening = undefined;
		if (!last) return;
		const { engine, recorder } = last.live;
		await door.passAsync(event.type, async () => {
			const { takePruneNotice } = await import("./session-modules.ts");
			// A screen is about to go: there it is told when the next session starts.
			const onPruned = () => (ctx.hasUI ? undefined : door.tell(takePruneNotice(engine.log) ?? ""));
			await recorder.end(ctx.sessionManager, onPruned);
		});
		options.onEnded?.();
	});
}

interface Equipment {
	/** After the mode has changed. */
	readonly renew: () => void;
	readonly showStatus: (ctx: ExtensionContext) => void;
}

/** Tools for the model, commands and a status line for people. */
async function equip(pi: ExtensionAPI, live: () => LivePi | undefined): Promise<Equipment> {
	const { registerTools, registerSubagent, SUBAGENT_TOOL, registerCommands, registerStatus, TOOLS } = await import(
		"./session-modules.ts"
	);
	const names: readonly string[] = [...TOOLS.map(({ name }) => name), SUBAGENT_TOOL];
	let isEquipped = false;
	const renew = () => {
		const isWanted = live()?.mode() !== "off";
		if (isWanted && !isEquipped) {
			isEquipped = true;
			registerTools(pi, live);
			registerSubagent(pi, live);
		} else if (isEquipped) {
			const others = pi.getActiveTools().filter((name) => !names.includes(name));
			pi.setActiveTools(isWanted ? [...others, ...names] : others);
		}
	};
	registerCommands(pi, live);
	const showStatus = registerStatus(pi, live);
	renew();
	return { renew, showStatus };
}

function activeTools(pi: ExtensionAPI): ToolDefinition[] {
	const active = new Set(pi.getActiveTools());
	const tools = pi.getAllTools().filter(({ name }) => active.has(name));
	return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** The ids of the nodes that stand for what left, as an entry of the session itself: it can be understood without us. */
function leaveNodes(pi: ExtensionAPI, entry: { readonly details?: unknown; readonly firstKeptEntryId: string }): void {
	const details = weftDetails(entry);
	if (details) pi.appendEntry("weft.nodes", { nodes: details.nodes ?? [], from: entry.firstKeptEntryId });
}

/** Undefined: the compaction is none of ours. */
function weftDetails({ details }: { readonly details?: unknown }) {
	const fields = details as { readonly weft?: string; readonly nodes?: readonly string[] } | undefined;
	return fields?.weft === undefined ? undefined : fields;
}

/** On the screen where there is one; a warning else goes to stderr. */
function notify(ctx: ExtensionContext | undefined, notice: string, level: "warning" | "info"): void {
	try {
		if (ctx?.hasUI) ctx.ui.notify(`weft: ${notice}`, level);
		else if (level === "warning") process.stderr.write(`weft: ${printable(notice)}\n`);
	} catch {
		// Nobody is listening any more.
	}
}
