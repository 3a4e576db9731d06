/**
 * weft in Pi: each hook first takes what is new in the session to the log, then asks the function that answers it. All
 * state lives in here, because Pi keeps modules across sessions and calls the factory anew. Heavy imports wait until a
 * session starts and weft is wanted. Whatever fails, Pi goes on by itself.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { ToolDefinition } from "../../context/envelope/envelope.ts";
import { Door } from "./door.ts";
import { type Equipment, equip } from "./equip.ts";
import type { Hooks } from "./hooks.ts";
import { type Opened, openLive } from "./open.ts";

export interface RegisterOptions {
	/** In place of weft's own answers: how tests break them. */
	readonly hooks?: Partial<Hooks>;
}

export function register(pi: ExtensionAPI, options: RegisterOptions = {}): void {
	let opening: Promise<Opened | undefined> | undefined;
	let opened: Opened | undefined;
	let equipment: Equipment | undefined;
	const ending = new AbortController();
	const door = new Door((fault) => opened?.live.recorder.fault(fault));

	const take = (event: { readonly type: string }, ctx: ExtensionContext, how: "follow" | "catchUp"): undefined => {
		const now = opened;
		if (!now) return;
		// First what came before the entries that are new: the request that they answer.
		door.pass(event.type, ctx, () => now.settle(now.live.at(ctx)));
		door.pass(event.type, ctx, () => now.live.recorder[how](ctx.sessionManager));
	};
	const follow = (event: { readonly type: string }, ctx: ExtensionContext) => take(event, ctx, "follow");
	/** What is new, then weft's answer; undefined where there is none, or where it fails. */
	const answer =
		<Name extends keyof Hooks>(name: Name) =>
		async (event: HookEvent<Name>, ctx: ExtensionContext): Promise<HookAnswer<Name> | undefined> => {
			if (!opened) return undefined;
			follow(event, ctx);
			const { hooks, live } = opened;
			const hook = hooks[name] as (event: HookEvent<Name>, of: typeof live) => ReturnType<Hooks[Name]>;
			return door.passAsync(name, ctx, async () => (await hook(event, live.at(ctx))) as HookAnswer<Name>);
		};

	// In rpc mode this fires twice for one session: the second time there is nothing new.
	pi.on("session_start", (event, ctx) =>
		door.passAsync(event.type, ctx, async () => {
			opening ??= openLive(ctx, door, {
				...(options.hooks ? { hooks: options.hooks } : {}),
				mention: (at, notice) => door.mention(at, notice),
				onMode: () => equipment?.renew(),
				tools: () => activeTools(pi),
			});
			opened = await opening;
			if (!opened) return;
			take(event, ctx, "catchUp");
			equipment ??= await equip(pi, () => opened?.live);
		}),
	);

	let isMapped = false;
	pi.on("agent_start", (event, ctx) => {
		if (!opened || isMapped) return;
		isMapped = true;
		// Nobody waits for it.
		const { live, beside } = opened;
		void door.passAsync(event.type, ctx, () => beside(live, ending.signal));
	});

	pi.on("before_agent_start", async (event, ctx) => {
		await answer("before_agent_start")(event, ctx);
	});
	pi.on("context", answer("context"));
	pi.on("before_provider_request", answer("before_provider_request"));
	pi.on("message_end", answer("message_end"));
	pi.on("tool_call", answer("tool_call"));
	pi.on("tool_result", answer("tool_result"));
	pi.on("turn_end", answer("turn_end"));
	pi.on("session_before_compact", answer("session_before_compact"));

	// Where Pi has just appended entries. A message is one only after its message_end: the next of these sees it.
	pi.on("message_start", follow);
	pi.on("after_provider_response", follow);
	pi.on("agent_end", follow);
	pi.on("agent_settled", follow);
	pi.on("session_info_changed", follow);
	pi.on("input", async (event, ctx) => {
		follow(event, ctx);
		await door.passAsync(event.type, ctx, async () => opened?.wake(opened.live.at(ctx)));
		return answer("input")(event, ctx);
	});
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
	pi.on("session_before_tree", (event, ctx) => follow(event, ctx));
	pi.on("session_tree", (event, ctx) => {
		opened?.live.reasons.add("another branch");
		return take(event, ctx, "catchUp");
	});

	pi.on("session_shutdown", async (event, ctx) => {
		ending.abort();
		follow(event, ctx);
		const last = opened;
		opened = undefined;
		opening = undefined;
		await door.passAsync(event.type, ctx, async () => last?.live.recorder.end(ctx.sessionManager));
	});
}

type HookEvent<Name extends keyof Hooks> = Parameters<Hooks[Name]>[0];
type HookAnswer<Name extends keyof Hooks> = Exclude<Awaited<ReturnType<Hooks[Name]>>, undefined>;

function activeTools(pi: ExtensionAPI): ToolDefinition[] {
	const active = new Set(pi.getActiveTools());
	const tools = pi.getAllTools().filter(({ name }) => active.has(name));
	return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** The ids of the nodes that stand for what left, as an entry of the session itself: it can be understood without us. */
function leaveNodes(pi: ExtensionAPI, entry: { readonly details?: unknown; readonly firstKeptEntryId: string }): void {
	const details = entry.details as { readonly weft?: string; readonly nodes?: readonly string[] } | undefined;
	if (details?.weft === undefined) return;
	pi.appendEntry("weft.nodes", { nodes: details.nodes ?? [], from: entry.firstKeptEntryId });
}
