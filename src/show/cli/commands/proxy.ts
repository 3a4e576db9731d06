/** Runs the proxy in the foreground until Ctrl-C. */

import { READERS } from "../../../agent/agents.ts";
import { PROXIED } from "../../../agent/proxy/proxied-agents.ts";
import { serveProxy } from "../../../agent/proxy/serve.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";
import { keepHeapSmall } from "../small-heap.ts";

export interface ProxyOptions {
	readonly for?: string;
	readonly upstream?: string;
	readonly port?: string;
	readonly threshold?: string;
	readonly window?: string;
	readonly recordOnly?: boolean;
	readonly untilEof?: boolean;
	readonly rewrite?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: ProxyOptions): Promise<void> {
	const { out, env, folder, home } = context;
	const agent = oneOf("--for", options.for, PROXIED) ?? "claude";
	const port = wholeNumber("--port", options.port);
	if (port !== undefined && port > 65_535) throw new EngineError("usage", "--port takes a number up to 65535.");
	if (agent === "other" && options.upstream === undefined)
		throw new EngineError("usage", "--for other needs --upstream: say where its requests go.");
	if (options.rewrite && agent !== "other")
		throw new EngineError("usage", "--rewrite is for --for other: Claude Code and Codex compact by themselves.");
	context.refuseBadSettings();
	// It runs as long as the agent does, and what passes does not stay. With less room to grow it would clear up all the time, and who
	// waits for a request waits for that.
	keepHeapSmall({ growth: 150 });
	const threshold = wholeNumber("--threshold", options.threshold, 1);
	const window = wholeNumber("--window", options.window, 4_000);
	const { upstream, recordOnly } = options;
	const rewrite = options.rewrite && !recordOnly;
	const proxy = await serveProxy({
		readers: READERS,
		agent,
		upstream,
		port,
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
		if (out.json) await out.document({ origin: proxy.origin, port: proxy.port, pid: process.pid });
		else await out.text(`${proxy.origin}\n`);
		out.talk("It passes requests on. Ctrl-C ends it.");
		await untilInterrupted((signal) => {
			const { promise, resolve } = Promise.withResolvers<void>();
			signal.addEventListener("abort", () => resolve());
			if (options.untilEof) process.stdin.once("close", resolve).resume();
			return promise;
		});
	} finally {
		// An input that nobody closes would keep us here.
		if (options.untilEof) process.stdin.destroy();
		await proxy.close();
	}
}
