import { EngineError } from "../../../base/error/engine-error.ts";
import { writeJson } from "../../../base/json/write.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { readHandle } from "../../../fleet/read.ts";
import { splitLast } from "../../../log/store/payload-text.ts";
import { readableText, renderEventHeader } from "../../../view/event.ts";
import { renderPairs } from "../../../view/style.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export async function run(
	context: Context,
	[handle = ""]: readonly string[],
	options: { readonly raw?: boolean },
): Promise<void> {
	await withFleet(context, async ({ connection }) => {
		const { out } = context;
		const found = await readHandle(connection, handle, null);
		if (!found)
			throw new EngineError("not-found", `The fleet has no event '${handle}'. Handles look like m-1a2b3c4d5e6f.`);
		const { text, ...record } = found;
		if (options.raw) return out.text(splitLast(text, "raw") ?? text);
		if (out.json) return out.line(writeJson(record));
		const whose = `${oneLine(found.person)} on ${oneLine(found.machine)}, ${oneLine(found.project)}`;
		await out.lines([...renderPairs(out, [["by", whose]]), ...renderEventHeader(record, out), ""]);
		await out.text(`${readableText(record)}\n`);
	});
}
