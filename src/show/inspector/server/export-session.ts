/** A session as one file that opens without a server: the page, and the data of its pages, in one HTML document. */
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

/** What a file of reasonable size holds; the page says what is not in it. */
const MAX_REQUESTS = 300;
const MAX_EVENTS = 5_000;
const MAX_TEXTS = 1_500;
const FIRST_SAME = 3;
const NONE = new URLSearchParams();

export async function exportSession(options: SessionExportOptions): Promise<string> {
	const { assets, key, version, projects, now, mask } = options;
	const { session } = projects.get(key)!.session(options.session);
	const base = `/p/${key}/s/${encodeURIComponent(session)}`;
	const pages: Record<string, unknown> = {};
	const keep = async (page: string, query = NONE) => {
		const value = shortened(await readPageData(`${base}/${page}`, query, options));
		pages[`${base}/${page}.json`] = await mask(value);
		return value;
	};
	await keep("vitals");
	await keep("now");
	await keep("work");
	await keep("memory");
	const { requests } = (await keep("requests")) as { requests: readonly { readonly n: number }[] };
	for (const { n } of requests.slice(-MAX_REQUESTS)) await keep(`request/${n}`);
	const limit = new URLSearchParams({ limit: String(MAX_EVENTS) });
	const timeline = (await keep("timeline", limit)) as {
		rows: readonly { readonly handle: string; readonly type: string }[];
	};
	const tree = (await keep("history")) as { readonly nodes: readonly TreeLike[] };
	for (const { id } of flat(tree.nodes)) await keep(`history/${id}`);
	for (const { handle } of timeline.rows
		.filter(({ type }) => type === "Message" || type === "Seal" || type === "Verdict")
		.slice(0, MAX_TEXTS)) {
		await keep(`peek/${handle}`);
	}
	const project = projects.list().find((each) => each.key === key);
	const data = { version, made: now(), unmasked: options.unmasked, start: `${base}/now`, project, session, pages };
	return page(assets, data, `${project?.name ?? "weft"} · ${session} · ${formatTime(now())}`);
}

/** What two requests have in common is told in a number: it would stand in the file once for each of them. */
function shortened(value: unknown): unknown {
	const same = asObject(value)?.["same"];
	return Array.isArray(same) ? { ...(value as object), same: same.slice(0, FIRST_SAME) } : value;
}

interface TreeLike {
	readonly id: string;
	readonly children: readonly TreeLike[];
}

function flat(nodes: readonly TreeLike[]): TreeLike[] {
	return nodes.flatMap((node) => [node, ...flat(node.children)]);
}

function page({ script, style }: Assets, data: object, title: string): string {
	// Nothing in the data can end its element: every sign that opens one is escaped.
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
