/** A session as one HTML file that opens without a server: the page together with its data. */
import { asObject } from "../../../base/json/read.ts";
import { writeJson } from "../../../base/json/write.ts";
import { formatTime } from "../../../base/text/time.ts";
import { type Assets, inlinePolicy } from "./assets.ts";
import { type PageDataOptions, readPageData } from "./page-data.ts";

export interface SessionExportOptions extends PageDataOptions {
	readonly assets: Assets;
	readonly key: string;
	readonly session: string;
	readonly version: string;
	readonly mask: (value: unknown) => Promise<unknown>;
}

/** Keep the file at a reasonable size; the page says what it does not contain. */
const MAX_REQUESTS = 300;
const MAX_EVENTS = 5_000;
const MAX_TEXTS = 1_500;
/** Parts of the conversation, the newest. */
const MAX_CHUNKS = 25;
const FIRST_SAME = 3;
const NONE = new URLSearchParams();

export async function exportSession(options: SessionExportOptions): Promise<string> {
	const { assets, key, version, projects, now, mask } = options;
	const { session } = projects.require(key).session(options.session);
	const base = `/p/${key}/s/${encodeURIComponent(session)}`;
	const pages: Record<string, unknown> = {};
	const keep = async (page: string, query = NONE) => {
		const value = shorten(await readPageData(`${base}/${page}`, query, options));
		pages[`${base}/${page}.json`] = await mask(value);
		return value;
	};
	await keep("vitals");
	await keep("now");
	await keep("thread", new URLSearchParams({ all: "1" }));
	await keep("work");
	await keep("changes");
	await keep("memory");
	const { items, chunkItems } = (await keep("conversation")) as { readonly items: number; readonly chunkItems: number };
	const chunks = Math.ceil(items / chunkItems);
	for (let chunk = Math.max(0, chunks - MAX_CHUNKS); chunk < chunks; chunk++) await keep(`conversation/${chunk}`);
	const { requests } = (await keep("requests")) as { requests: readonly { readonly n: number }[] };
	for (const { n } of requests.slice(-MAX_REQUESTS)) await keep(`request/${n}`);
	const limit = new URLSearchParams({ limit: String(MAX_EVENTS) });
	const timeline = (await keep("timeline", limit)) as {
		rows: readonly { readonly handle: string; readonly type: string }[];
	};
	const tree = (await keep("history")) as { readonly nodes: readonly SummaryTree[] };
	for (const { id } of flatten(tree.nodes)) await keep(`history/${id}`);
	for (const { handle } of timeline.rows
		.filter(({ type }) => type === "Message" || type === "Seal" || type === "Verdict")
		.slice(0, MAX_TEXTS)) {
		await keep(`peek/${handle}`);
	}
	const project = projects.list().find((each) => each.key === key);
	const data = { version, made: now(), unmasked: options.unmasked, start: `${base}/now`, project, session, pages };
	return renderFile(assets, data, `${project?.name ?? "weft"} · ${session} · ${formatTime(now())}`);
}

/** Keeps only the first unchanged items of a request: otherwise the file would repeat every message for every request. */
function shorten(value: unknown): unknown {
	const same = asObject(value)?.["same"];
	return Array.isArray(same) ? { ...(value as object), same: same.slice(0, FIRST_SAME) } : value;
}

interface SummaryTree {
	readonly id: string;
	readonly children: readonly SummaryTree[];
}

function flatten(nodes: readonly SummaryTree[]): SummaryTree[] {
	return nodes.flatMap((node) => [node, ...flatten(node.children)]);
}

function renderFile({ script, style }: Assets, data: object, title: string): string {
	// Escape what could end the data's own script element.
	const text = writeJson(data)
		.replaceAll("<", "\\u003c")
		.replaceAll("\u2028", "\\u2028")
		.replaceAll("\u2029", "\\u2029");
	const code = script.replaceAll("</script", "<\\/script");
	const policy = inlinePolicy({ scripts: [code, text], style });
	const named = title.replace(/[<>&"]/g, " ");
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>${named}</title><style>${style}</style></head><body><div id="app"></div><script type="application/json" id="data">${text}</script><script>${code}</script></body></html>
`;
}
