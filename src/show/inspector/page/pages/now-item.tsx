/** One item of the page Now: why it is there, whether it is cached, and its text. */
import type { JSX } from "preact";
import type { TextPage } from "../../../../view/event.ts";
import type { NowItem, NowView } from "../../../../view/now-page.ts";
import type { WorkView } from "../../../../view/state.ts";
import { href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { count, percent } from "../format.ts";
import { Copy, State, Swatch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Diff, Handle, Text, TextBlock, textPageOf } from "../text.tsx";

/** The host decides what these say; the log keeps only their size and hash. */
const HOST_GROUPS: ReadonlySet<string> = new Set(["tools", "system", "options"]);

export function ItemDetail({ item, view }: { item: NowItem; view: NowView }): JSX.Element {
	return (
		<div class="sec">
			<header>
				<h2>
					<Swatch of={item.group} /> {item.name}
					{item.tool ? ` ${item.tool}` : ""}
				</h2>
				<span class="mono dim">{item.handle ? "" : item.id}</span>
				<span class="r">
					<Handle of={item.handle} />
				</span>
			</header>
			<dl class="kv">
				<dt>Tokens</dt>
				<dd>
					{view.as === "host" ? "~" : ""}
					{count(item.tokens)}, {percent(item.tokens / Math.max(1, view.tokens))} of this request
				</dd>
				<dt>Why here</dt>
				<dd>
					<Text>{item.why || "the agent sent it"}</Text>
					{renderUnfit(item)}
				</dd>
				<dt>Cache</dt>
				<dd>
					{item.cached === null ? (
						"the agent reported no usage"
					) : view.as === "host" ? (
						<>~{item.cached ? "read from the cache" : "written, or paid in full"}</>
					) : (
						<CacheState isCached={item.cached} isWarm={view.cache.warm} />
					)}
				</dd>
				<dt>First sent</dt>
				<dd>
					{item.since === null ? (
						"with the next request"
					) : (
						<a class="b" href={href({ page: "request", id: String(item.since), fresh: true })}>
							request {item.since}
						</a>
					)}
				</dd>
			</dl>
			{item.id === "seed:files" && <StaleNote />}
			<ItemText item={item} window={view.window} />
		</div>
	);
}

/** Empty where the reason already says it. */
export function renderUnfit({ left, why }: NowItem): string {
	return left > 0 && !why.includes("did not fit") ? `; ${left} more did not fit` : "";
}

/** Without `swatch`, the group is not part of the request. */

function CacheState({ isCached, isWarm }: { isCached: boolean; isWarm: boolean }): JSX.Element {
	if (isCached) return <>read: unchanged since it was written</>;
	if (isWarm) return <>the next request writes it</>;
	return (
		<>
			<State is="cold">cold</State>, so the next request writes it again
		</>
	);
}

function ItemText({ item, window }: { item: NowItem; window: number }): JSX.Element {
	const isHosts = HOST_GROUPS.has(item.group);
	const path = (offset?: number) =>
		item.handle && item.group === "tail"
			? dataPath(`peek/${item.handle}`, { offset })
			: dataPath("now/text", { item: item.id, window, offset });
	const isMissing = isHosts || (savedFile !== undefined && !item.handle);
	const loaded = usePageData<TextPage | { text: TextPage }>(isMissing ? undefined : path(), { live: false });
	const text = loaded.data && textPageOf(loaded.data);
	return (
		<>
			<header style={{ margin: "12px 0 6px" }}>
				<h2>Text</h2>
				<span class="r">
					{text && <Copy text={text.text}>Copy</Copy>}
					<Copy text={() => location.href}>
						Copy link <kbd>y</kbd>
					</Copy>
				</span>
			</header>
			{isHosts ? (
				<p class="dim">Set by the agent: the log keeps its size and hash in every request, not its text.</p>
			) : text ? (
				<TextBlock first={text} name={item.id} more={path} />
			) : (
				<Waiting of={loaded} />
			)}
		</>
	);
}

function StaleNote(): JSX.Element | null {
	const { data } = usePageData<WorkView>(dataPath("work"));
	const stale = data?.freshness.filter(({ status }) => status === "stale") ?? [];
	if (stale.length === 0) return null;
	return (
		<>
			{stale.slice(0, 3).map(({ path, diff }) => (
				<div key={path} class="note stale" style={{ marginTop: "10px" }}>
					<p>
						<b>
							<Text>{path}</Text> has changed on disk.
						</b>{" "}
						The seed is frozen and keeps the old text; the guard blocks an edit that relies on it.
					</p>
					{diff.length > 0 && <Diff lines={diff.slice(0, 40)} />}
				</div>
			))}
		</>
	);
}
