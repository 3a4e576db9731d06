/**
 * weft in Pi, for now as a witness: every entry of the session goes to the log as soon as Pi has it, and every hook
 * answers nothing, so that everything passes unchanged. All state lives in here, because Pi keeps modules across
 * sessions and calls the factory anew. Heavy imports wait until a session starts and weft is wanted.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Door } from "./door.ts";
import type { Recorder } from "./recorder.ts";

export function register(pi: ExtensionAPI): void {
	let recorder: Recorder | undefined;
	const door = new Door((fault) => recorder?.fault(fault));
	const follow = (event: { readonly type: string }, ctx: ExtensionContext) =>
		door.pass(event.type, ctx, () => recorder?.follow(ctx.sessionManager));
	const catchUp = (event: { readonly type: string }, ctx: ExtensionContext) =>
		door.pass(event.type, ctx, () => recorder?.catchUp(ctx.sessionManager));

	// In rpc mode this fires twice for one session: the second time there is nothing new.
	pi.on("session_start", (event, ctx) =>
		door.passAsync(event.type, ctx, async () => {
			recorder ??= await openRecorder(ctx, door);
			recorder?.catchUp(ctx.sessionManager);
		}),
	);

	// Where Pi has just appended entries. A message is one only after its message_end: the next of these sees it.
	pi.on("message_start", follow);
	pi.on("before_provider_request", follow);
	pi.on("tool_call", follow);
	pi.on("turn_end", follow);
	pi.on("agent_end", follow);
	pi.on("agent_settled", follow);
	pi.on("input", follow);
	pi.on("model_select", follow);
	pi.on("thinking_level_select", follow);
	pi.on("session_info_changed", follow);
	pi.on("session_compact", follow);

	// Between these two the leaf moves.
	pi.on("session_before_tree", follow);
	pi.on("session_tree", catchUp);

	pi.on("session_shutdown", (event, ctx) => {
		const ending = recorder;
		recorder = undefined;
		return door.passAsync(event.type, ctx, async () => ending?.end(ctx.sessionManager));
	});
}

/** Undefined where the settings turn weft off: then nothing is opened, and no folder made. */
async function openRecorder(ctx: ExtensionContext, door: Door): Promise<Recorder | undefined> {
	const [{ readSettings }, { projectRoot }] = await Promise.all([
		import("../../settings/read.ts"),
		import("../../log/home.ts"),
	]);
	const { cwd } = ctx;
	const { env } = process;
	const trusted = ctx.isProjectTrusted();
	const { settings, problems } = readSettings({ cwd, env, projectRoot: projectRoot(cwd), trusted });
	if (!settings.enabled) return undefined;
	for (const { message } of problems) door.tell(ctx, message);

	const [{ openEngine }, { Recorder }] = await Promise.all([import("../../engine.ts"), import("./recorder.ts")]);
	return new Recorder(openEngine({ cwd, env, trusted, host: "pi", warn: (message) => door.tell(ctx, message) }));
}
