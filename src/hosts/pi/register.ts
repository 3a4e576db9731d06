/**
 * weft in Pi: each hook first takes what is new in the session to the log, then asks the function that answers it. All
 * state lives in here, because Pi keeps modules across sessions and calls the factory anew. Heavy imports wait until a
 * session starts and weft is wanted. Whatever fails, Pi goes on by itself.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Door } from "./door.ts";
import { equip } from "./equip.ts";
import type { Hooks } from "./hooks.ts";
import { type Opened, openLive } from "./open.ts";

export interface RegisterOptions {
	/** In place of weft's own answers: how tests break them. */
	readonly hooks?: Partial<Hooks>;
}

export function register(pi: ExtensionAPI, options: RegisterOptions = {}): void {
	let opening: Promise<Opened | undefined> | undefined;
	let opened: Opened | undefined;
	const door = new Door((fault) => opened?.live.recorder.fault(fault));

	const follow = (event: { readonly type: string }, ctx: ExtensionContext): undefined => {
		door.pass(event.type, ctx, () => take(opened, ctx, "follow"));
	};
	const catchUp = (event: { readonly type: string }, ctx: ExtensionContext): undefined => {
		door.pass(event.type, ctx, () => take(opened, ctx, "catchUp"));
	};
	const answer =
		<Name extends keyof Hooks>(name: Name) =>
		async (event: Parameters<Hooks[Name]>[0], ctx: ExtensionContext) => {
			if (!opened) return undefined;
			follow(event, ctx);
			const { hooks, live } = opened;
			const hook = hooks[name] as (event: unknown, of: typeof live) => ReturnType<Hooks[Name]>;
			return door.passAsync(name, ctx, async () => hook(event, live.at(ctx)));
		};

	// In rpc mode this fires twice for one session: the second time there is nothing new.
	pi.on("session_start", (event, ctx) =>
		door.passAsync(event.type, ctx, async () => {
			opening ??= openLive(ctx, door, {
				...(options.hooks ? { hooks: options.hooks } : {}),
				mention: (at, notice) => door.mention(at, notice),
				onMode: () => equipment?.renew(),
			});
			const first = opened === undefined;
			opened = await opening;
			if (!opened) return;
			take(opened, ctx, "catchUp");
			if (first) equipment = await equip(pi, () => opened?.live);
		}),
	);
	let equipment: Awaited<ReturnType<typeof equip>> | undefined;

	pi.on("before_agent_start", answer("before_agent_start") as never);
	pi.on("context", answer("context") as never);
	pi.on("before_provider_request", answer("before_provider_request") as never);
	pi.on("tool_call", answer("tool_call") as never);
	pi.on("tool_result", answer("tool_result") as never);
	pi.on("turn_end", answer("turn_end") as never);
	pi.on("session_before_compact", answer("session_before_compact") as never);

	// Where Pi has just appended entries. A message is one only after its message_end: the next of these sees it.
	pi.on("message_start", follow);
	pi.on("agent_end", follow);
	pi.on("agent_settled", follow);
	pi.on("input", follow);
	pi.on("session_info_changed", follow);
	pi.on("model_select", (event, ctx) => {
		opened?.live.reasons.add("another model");
		return follow(event, ctx);
	});
	pi.on("thinking_level_select", (event, ctx) => {
		opened?.live.reasons.add("another thinking level");
		return follow(event, ctx);
	});
	pi.on("session_compact", (event, ctx) => {
		opened?.live.reasons.add("compaction");
		follow(event, ctx);
		door.pass(event.type, ctx, () => leaveNodes(pi, event.compactionEntry));
	});

	// Between these two the leaf moves.
	pi.on("session_before_tree", follow);
	pi.on("session_tree", (event, ctx) => {
		opened?.live.reasons.add("another branch");
		return catchUp(event, ctx);
	});

	pi.on("session_shutdown", (event, ctx) => {
		const ending = opened;
		opened = undefined;
		opening = undefined;
		return door.passAsync(event.type, ctx, async () => {
			if (!ending) return;
			door.pass(event.type, ctx, () => ending.settle(ending.live.at(ctx)));
			await ending.live.recorder.end(ctx.sessionManager);
		});
	});
}

function take(opened: Opened | undefined, ctx: ExtensionContext, how: "follow" | "catchUp"): void {
	if (!opened) return;
	const live = opened.live.at(ctx);
	live.recorder[how](ctx.sessionManager);
	opened.settle(live);
}

/** The ids of the nodes that stand for what left, as an entry of the session itself: it can be understood without us. */
function leaveNodes(pi: ExtensionAPI, entry: { readonly details?: unknown; readonly firstKeptEntryId: string }): void {
	const details = entry.details as { readonly weft?: string; readonly nodes?: readonly string[] } | undefined;
	if (details?.weft === undefined) return;
	pi.appendEntry("weft.nodes", { nodes: details.nodes ?? [], from: entry.firstKeptEntryId });
}
