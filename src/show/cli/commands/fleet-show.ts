import { EngineError } from "../../../base/error/engine-error.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { readHandle } from "../../../fleet/read.ts";
import { splitLast } from "../../../log/store/payload-text.ts";
import { readableText, renderEventHeader } from "../../../view/event.ts";
import { renderPairs } from "../../../view/text-style.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({
	out,
	connection,
	args: [handle = ""],
	options,
}: Call<"fleet show">): Promise<CommandResult | ExitCode> {
	const found = await readHandle(connection, handle, null);
	if (!found)
		throw new EngineError("not-found", `The fleet has no event '${handle}'. Handles look like m-1a2b3c4d5e6f.`);
	const { text, ...record } = found;
	// Exact, with --json too.
	if (options.raw) {
		await out.text(splitLast(text, "raw") ?? text);
		return EXIT.ok;
	}
	const whose = `${oneLine(found.person)} on ${oneLine(found.machine)}, ${oneLine(found.project)}`;
	return {
		data: record,
		lines: () => [...renderPairs(out, [["by", whose]]), ...renderEventHeader(record, out), ""],
		text: () => `${readableText(record)}\n`,
	};
}
