import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { makePrivateFolder } from "../../../log/home.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { sessionMarkdown } from "../../../view/export.ts";
import type { Live } from "../live.ts";

/** Writes the session as Markdown, with known credentials masked, to a new file that only its owner can read. */
export async function exportSession({ engine, session, cwd }: Live, file: string): Promise<string> {
	const path = resolve(cwd, file);
	const state = findSession(engine.log, session.session);
	if (path.startsWith(engine.project.folder)) makePrivateFolder(dirname(path));
	const handle = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
		throw new EngineError(
			"refused",
			error.code === "EEXIST"
				? `${path} already exists. Name another file: /lcm export FILE`
				: `${path} cannot be written: ${error.message}`,
			{ cause: error },
		);
	});
	try {
		for await (const part of sessionMarkdown(engine.log, state, maskSecrets)) await handle.write(`${part}\n`);
	} finally {
		await handle.close();
	}
	return `Written to ${path}`;
}
