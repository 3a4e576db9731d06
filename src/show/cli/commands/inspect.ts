/** Starts the inspector and says where it is. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import { writeError } from "../../../base/file/write-error.ts";
import { projectKey } from "../../../log/home.ts";
import { serve } from "../../inspector/server/serve.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";
import { pickSession } from "../pick-session.ts";

export interface InspectOptions {
	readonly open?: boolean;
	readonly port?: string;
	readonly session?: string;
	readonly window?: string;
	readonly unmasked?: boolean;
	readonly export?: string;
}

export async function run(context: Context, _args: readonly string[], options: InspectOptions): Promise<void> {
	const port = wholeNumber("--port", options.port) ?? 0;
	if (port > 65_535) throw new EngineError("usage", "--port takes a number up to 65535.");
	const window = wholeNumber("--window", options.window, 4_000);
	context.refuseBadSettings();
	const { out, root } = context;
	const page = options.session === undefined ? undefined : startOf(context, options.session);
	const { home } = context.places();
	const open = (each: string) => context.openProject(each);
	const unmasked = options.unmasked ?? false;
	const inspector = await serve({ home, root, open, port, unmasked, window, version: ownVersion(), now: context.now });
	try {
		if (options.export !== undefined) return await writeExport(context, inspector, options.export, page);
		const address = page === undefined ? inspector.address : inspector.addressOf(page);
		if (out.json) await out.document({ address, origin: inspector.origin, pid: process.pid });
		else await out.text(`${address}\n`);
		out.talk("The address holds the token of this launch. Ctrl-C ends.");
		if (unmasked) out.talk("Credentials are shown as they are (--unmasked).");
		if (options.open) openInBrowser(address);
		await untilInterrupted((signal) => new Promise((done) => signal.addEventListener("abort", () => done())));
	} finally {
		await inspector.close();
	}
}

function startOf(context: Context, given: string): string {
	const engine = context.openExisting();
	try {
		const { session } = pickSession(engine.log, given);
		return `/p/${projectKey(context.root)}/s/${encodeURIComponent(session)}/now`;
	} finally {
		engine.close();
	}
}

async function writeExport(
	context: Context,
	inspector: Awaited<ReturnType<typeof serve>>,
	file: string,
	page = `/p/${projectKey(context.root)}/s/-/now`,
): Promise<void> {
	const address = new URL(inspector.addressOf(page.replace(/now$/, "export.html")));
	const authorization = `Bearer ${address.searchParams.get("token")}`;
	const response = await fetch(`${inspector.origin}${address.pathname}`, { headers: { authorization } });
	const text = await response.text();
	if (!response.ok)
		throw new EngineError("not-found", (JSON.parse(text) as { error: { message: string } }).error.message);
	const path = resolve(context.cwd, file);
	try {
		writeFileSync(path, text, { flag: "wx", mode: 0o600 });
	} catch (cause) {
		throw writeError(cause, path);
	}
	context.out.talk(`Written to ${file}`);
}

/** Whether it worked, the person sees; the address is printed in any case. */
function openInBrowser(address: string): void {
	const [command, ...args] =
		process.platform === "darwin"
			? ["open", address]
			: process.platform === "win32"
				? ["cmd", "/c", "start", "", address.replaceAll("&", "^&")]
				: ["xdg-open", address];
	const child = spawn(command!, args, { stdio: "ignore", detached: true });
	child.on("error", () => {});
	child.unref();
}
