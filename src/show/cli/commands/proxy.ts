/** Runs the proxy in the foreground until Ctrl-C. */

import { Socket } from "node:net";
import { READERS } from "../../../agent/agents.ts";
import type { HandedConnections } from "../../../agent/proxy/proxy.ts";
import { serveProxy } from "../../../agent/proxy/serve.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { asObject } from "../../../base/json/read.ts";
import type { Settings } from "../../../settings/keys.ts";
import type { Call } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { keepHeapSmall } from "../node-process.ts";

export async function run({ context, out, options }: Call<"proxy">): Promise<void> {
	const { env, folder, home } = context;
	const { for: agent, upstream, port, threshold, window, recordOnly, untilEof, handed } = options;
	if (agent === "other" && upstream === undefined)
		throw new EngineError("usage", "--for other needs --upstream: say where its requests go.");
	if (options.rewrite && agent !== "other")
		throw new EngineError("usage", "--rewrite is for --for other: Claude Code and Codex compact by themselves.");
	if (handed && (port === undefined || !process.connected))
		throw new EngineError("usage", "--handed is for 'weft run', which listens on the port.");
	context.refuseBadSettings();
	// Requests pass through and leave little behind. With less room V8 would collect garbage while an agent waits.
	keepHeapSmall({ growth: 150 });
	const rewrite = options.rewrite && !recordOnly;
	const proxy = await serveProxy({
		readers: READERS,
		agent,
		upstream,
		port,
		handed: handed && port !== undefined ? handedConnections(port) : undefined,
		threshold,
		window,
		recordOnly,
		rewrite,
		env,
		home,
		cwd: folder,
		onNotice: (notice) => out.talk(notice),
	});
	try {
		if (out.json) await out.document({ address: proxy.address, port: proxy.port, pid: process.pid });
		else await out.text(`${proxy.address}\n`);
		out.talk(`${renderDuty(context.readSettings().settings, { rewrite })} Ctrl-C ends.`);
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
