/** Runs the proxy in the foreground until Ctrl-C. */

import { Socket } from "node:net";
import { Command } from "commander";
import { READERS } from "../../../agent/agents.ts";
import type { HandedConnections } from "../../../agent/proxy/proxy.ts";
import { type ServedProxy, type ServeProxyOptions, serveProxy } from "../../../agent/proxy/serve.ts";
import type { OpenProxy } from "../../../agent/resident/served-proxies.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { asObject } from "../../../base/json/read.ts";
import type { Settings } from "../../../settings/keys.ts";
import { SET_UP } from "../catalogue/set-up.ts";
import type { Call } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { LoglessContext } from "../logless-context.ts";
import { keepHeapSmall } from "../node-process.ts";
import { readOptions } from "../options.ts";

export async function run({ context, out, options }: Call<"proxy">): Promise<void> {
	const { port, untilEof } = options;
	if (options.handed && (port === undefined || !process.connected))
		throw new EngineError("usage", "--handed is for 'weft run', which listens on the port.");
	// Requests pass through and leave little behind. With less room V8 would collect garbage while an agent waits.
	keepHeapSmall({ growth: 150 });
	const handed = options.handed && port !== undefined ? handedConnections(port) : undefined;
	const proxy = await serve(context, options, { handed, onNotice: (notice) => out.talk(notice) });
	try {
		if (out.json) await out.document({ address: proxy.address, port: proxy.port, pid: process.pid });
		else await out.text(`${proxy.address}\n`);
		out.talk(`${renderDuty(context.readSettings().settings, { rewrite: isRewriting(options) })} Ctrl-C ends.`);
		await untilInterrupted((signal) => {
			const { promise, resolve } = Promise.withResolvers<void>();
			signal.addEventListener("abort", () => resolve());
			if (untilEof) process.stdin.once("close", resolve).resume();
			return promise;
		});
	} finally {
		// An open standard input would keep this process alive.
		if (untilEof) process.stdin.destroy();
		await proxy.close();
		if (process.connected) process.disconnect();
	}
}

type ProxyOptions = Call<"proxy">["options"];

function serve(
	context: LoglessContext,
	options: ProxyOptions,
	more: Pick<ServeProxyOptions, "handed" | "onNotice">,
): Promise<ServedProxy> {
	const { for: agent, upstream, port, threshold, window, recordOnly } = options;
	if (agent === "other" && upstream === undefined)
		throw new EngineError("usage", "--for other needs --upstream: say where its requests go.");
	if (options.rewrite && agent !== "other")
		throw new EngineError("usage", "--rewrite is for --for other: Claude Code and Codex compact by themselves.");
	context.refuseBadSettings();
	const { env, folder: cwd, home } = context;
	const place = { readers: READERS, env, home, cwd };
	return serveProxy({
		...place,
		...more,
		agent,
		upstream,
		port,
		threshold,
		window,
		recordOnly,
		rewrite: isRewriting(options),
	});
}

function isRewriting({ rewrite, recordOnly }: ProxyOptions): boolean {
	return rewrite && !recordOnly;
}

interface ProxyProcess {
	readonly env: NodeJS.ProcessEnv;
	/** `--home`. */
	readonly home: string | undefined;
	readonly cwd: string;
	/** Of `weft proxy`. */
	readonly args: readonly string[];
}

/** The proxy of a process that listens on the port of its arguments, in this one. */
export async function openHandedProxy({ env, home, cwd, args }: ProxyProcess): Promise<OpenProxy> {
	const { options: specs } = SET_UP.proxy;
	const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
	for (const { flags, description } of Object.values(specs)) command.option(flags, description);
	const options = readOptions(specs, command.parse(args, { from: "user" }).opts(), Date.now());
	const { promise, resolve } = Promise.withResolvers<(socket: Socket) => void>();
	const handed = { port: options.port ?? 0, onConnection: resolve };
	const context = new LoglessContext({ ...(home !== undefined && { home }) }, { env, cwd });
	const proxy = await serve(context, options, { handed, onNotice: () => {} });
	const accept = await promise;
	return { accept, drain: () => proxy.drain(), close: () => proxy.close() };
}

/** From the process that started this one. */
function handedConnections(port: number): HandedConnections {
	return {
		port,
		onConnection: (listener) =>
			process.on("message", (message, socket) => {
				if (!(socket instanceof Socket)) return;
				process.send?.({ taken: asObject(message)?.["connection"] });
				listener(socket);
			}),
	};
}

/** One sentence on the requests that pass. */
export function renderDuty(
	{ enabled, mode }: Pick<Settings, "enabled" | "mode">,
	{ rewrite }: { readonly rewrite: boolean },
): string {
	if (!enabled) return "weft is disabled here ('enabled' is false): requests pass unchanged, and nothing is recorded.";
	if (rewrite && mode !== "off") return "Recording requests, and shortening those that grow too long.";
	return "Passing requests through.";
}
