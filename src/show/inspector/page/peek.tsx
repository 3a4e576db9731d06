/** Any handle, anywhere: what it is, where it came from, where it is now, and its text. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { PeekView } from "../../../view/peek.ts";
import { shortSession } from "../../../view/short-session.ts";
import { go, href } from "./address.ts";
import { dataPath, usePageData } from "./data.ts";
import { clockMs, count, day } from "./format.ts";
import { Copy, State, Waiting } from "./parts.tsx";
import { Handle, Text, TextBlock } from "./text.tsx";

export function Peek({ of }: { of: string }): JSX.Element {
	const box = useRef<HTMLDialogElement>(null);
	const loaded = usePageData<PeekView>(dataPath(`peek/${encodeURIComponent(of)}`), { live: false });
	useLayoutEffect(() => {
		if (!box.current?.open) box.current?.showModal();
	}, []);
	// Closing adds no entry to the history: the page behind it never left.
	const close = () => go(href({ set: { peek: null } }), { replace: true });
	const view = loaded.data;
	return (
		<dialog
			ref={box}
			class="peek"
			aria-label="What a handle stands for"
			onClose={close}
			onClick={(event) => event.target === box.current && box.current?.close()}
		>
			<div class="sec">
				<header>
					<h2 class="mono">{of}</h2>
					<span class="mid">{view?.title}</span>
					<span class="r">
						{view?.kind === "summary" && (
							<a class="btn" href={href({ page: "history", id: of, fresh: true })}>
								Open in History
							</a>
						)}
						<Copy text={of}>Copy handle</Copy>
						<Copy text={`weft ${view?.kind === "summary" || view?.kind === "blob" ? "expand" : "show"} ${of}`}>
							weft {view?.kind === "summary" || view?.kind === "blob" ? "expand" : "show"}
						</Copy>
						<button type="button" onClick={() => box.current?.close()}>
							Close <kbd>Esc</kbd>
						</button>
					</span>
				</header>
				{!view && <Waiting of={loaded} />}
				{view && <Facts view={view} />}
				{view && (
					<div style={{ marginTop: "12px" }}>
						<TextBlock
							first={view.text}
							name={of}
							more={(offset) => dataPath(`peek/${encodeURIComponent(of)}`, { offset })}
						/>
					</div>
				)}
			</div>
		</dialog>
	);
}

function Facts({ view }: { view: PeekView }): JSX.Element {
	const { ts, session, host, cause, role, bytes, sha256, sentIn, toldBy, inContext, fetchedBy, kind, wrong, seq } =
		view;
	const rows: [string, JSX.Element | string][] = [];
	if (seq !== null) rows.push(["Event", `#${seq}`]);
	if (ts !== null) rows.push(["Time", `${day(ts)} ${clockMs(ts)} UTC`]);
	if (session !== null)
		rows.push([
			"Session",
			<span class="mono" key="s">
				{shortSession(session)} ({host})
			</span>,
		]);
	if (cause !== null) rows.push(["Cause", <Handle key="c" of={cause} />]);
	if (role) rows.push(["Role", role]);
	if (bytes !== null)
		rows.push([
			"Bytes",
			<span key="b">
				{count(bytes)}, sha256 <span class="mono">{sha256?.slice(0, 16)}</span>
			</span>,
		]);
	if (wrong !== null)
		rows.push([
			"Damage",
			<State key="w" is="blocked">
				<Text>{wrong}</Text>
			</State>,
		]);
	if (kind === "message") {
		rows.push([
			"Sent in",
			sentIn
				? sentIn.first === sentIn.last
					? `request ${sentIn.first}`
					: `requests ${sentIn.first} to ${sentIn.last}`
				: "no request of weft",
		]);
		if (fetchedBy.length > 0)
			rows.push([
				"Fetched back",
				<span key="f">
					{fetchedBy.map((each) => (
						<Handle key={each} of={each} />
					))}
				</span>,
			]);
		rows.push([
			"Now",
			inContext ? (
				<State key="n" is="fresh">
					raw in the newest request
				</State>
			) : toldBy ? (
				<span key="n">
					left out, told by <Handle of={toldBy} />
				</span>
			) : (
				"in the log"
			),
		]);
	} else if (kind === "summary" && toldBy) rows.push(["Part of", <Handle key="p" of={toldBy} />]);
	return (
		<dl class="kv">
			{rows.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} v`}>{value}</dd>])}
		</dl>
	);
}
