/** Starts the inspector and prints its URL. */
import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { requireNewFile, writeAtomically, writeError } from "../../../base/file/atomic-write.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import { openInBrowser } from "../../../base/net/browser.ts";
import { projectKey } from "../../../log/home.ts";
import { serve } from "../../inspector/server/serve.ts";
import type { Context } from "../context.ts";
import type { Call } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { withNamedSession } from "../named-session.ts";

export async function run({ context, options }: Call<"inspect">): Promise<void> {
	context.warnOfSettings();
	if (options.export !== undefined) requireNewFile(resolve(context.cwd, options.export));
	const page = options.session === undefined ? undefined : await startPage(context, options.session);
	await openInspector(context, { ...options, page, isOpened: options.open });
}

interface InspectOptions {
	readonly port?: number | undefined;
	readonly window?: number | undefined;
	readonly unmasked?: boolean | undefined;
	/** Write this file and end. */
	readonly export?: string | undefined;
	/** The path of the first page. */
	readonly page: string | undefined;
	/** Open it in the browser. */
	readonly isOpened: boolean;
}

/** Serves until Ctrl-C. */
export async function openInspector(context: Context, options: InspectOptions): Promise<void> {
	const { port = 0, window, unmasked = false, page } = options;
	const { out } = context;
	const inspector = await serve({
		home: context.places().home,
		root: context.root,
		open: (each: string) => context.openProject(each),
		port,
		unmasked,
		window,
		version: ownVersion(),
		now: context.now,
	});
	try {
		if (options.export !== undefined) return await writeExport(context, inspector, options.export, page);
		const address = page === undefined ? inspector.address : inspector.addressOf(page);
		if (out.json) await out.document({ address, origin: inspector.origin, pid: process.pid });
		else await out.text(`${address}\n`);
		out.talk("The URL contains the token of this launch. Ctrl-C ends.");
		if (unmasked) out.talk("Credentials are shown as they are (--unmasked).");
		if (options.isOpened)
			void openInBrowser(address).then((isOpen) => {
				if (!isOpen) out.talk("No browser could be started. Open the URL yourself.");
			});
		await untilInterrupted((signal) => new Promise<void>((done) => signal.addEventListener("abort", () => done())));
	} finally {
		await inspector.close();
	}
}

function startPage(context: Context, given: string): Promise<string> {
	return withNamedSession(context, given, ({ project }, { session }) => {
		return `/p/${projectKey(project.root)}/s/${encodeURIComponent(session)}/now`;
	});
}

async function writeExport(
	context: Context,
	inspector: Awaited<ReturnType<typeof serve>>,
	file: string,
	page = `/p/${projectKey(context.root)}/s/-/now`,
): Promise<void> {
	const headers = { authorization: `Bearer ${inspector.token}` };
	const response = await fetch(`${inspector.origin}${page.replace(/now$/, "export.html")}`, { headers });
	const text = await response.text();
	if (!response.ok)
		throw new EngineError("not-found", (JSON.parse(text) as { error: { message: string } }).error.message);
	const path = resolve(context.cwd, file);
	try {
		requireNewFile(path);
		writeAtomically(path, text);
	} catch (cause) {
		if (cause instanceof EngineError) throw cause;
		throw writeError(cause, path);
	}
	context.out.talk(`Written to ${file}`);
}
