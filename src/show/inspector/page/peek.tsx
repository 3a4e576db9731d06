/** The dialog that opens a handle: its kind, where it came from, where it is now, and its text. */
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
	// Closing adds no history entry: the page behind the dialog has not changed.
	const close = () => go(href({ set: { peek: null } }), { replace: true });
	const view = loaded.data;
	const command = view?.kind === "summary" || view?.kind === "blob" ? "expand" : "show";
	return (
		<dialog
			ref={box}
			class="peek"
			aria-label="Handle"
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
						<Copy text={`weft ${command} ${of}`}>weft {command}</Copy>
						{view?.rewind != null && (
							<Copy
								text={view.rewind}
								title="copy the command that shows what changed since, and with --yes brings it back"
							>
								weft rewind
							</Copy>
						)}
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

type FactRow = readonly [name: string, value: JSX.Element | string];

function Facts({ view }: { view: PeekView }): JSX.Element {
	return (
		<dl class="kv">
			{[...originRows(view), ...usageRows(view)].flatMap(([name, value]) => [
				<dt key={name}>{name}</dt>,
				<dd key={`${name} v`}>{value}</dd>,
			])}
		</dl>
	);
}

/** Where it came from, and its size. */
function originRows({ seq, ts, session, host, cause, role, bytes, sha256, wrong }: PeekView): FactRow[] {
	const rows: FactRow[] = [];
	if (seq !== null) rows.push(["Event", `#${seq}`]);
	if (ts !== null) rows.push(["Time", `${day(ts)} ${clockMs(ts)}`]);
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
	return rows;
}

/** Which requests had it, and where it is now. */
function usageRows({ kind, sentIn, fetchedBy, inContext, toldBy }: PeekView): FactRow[] {
	if (kind === "summary" && toldBy) return [["Part of", <Handle key="p" of={toldBy} />]];
	if (kind !== "message") return [];
	const rows: FactRow[] = [["Sent in", renderSentIn(sentIn)]];
	if (fetchedBy.length > 0)
		rows.push([
			"Fetched back",
			<span key="f">
				{fetchedBy.map((each) => (
					<Handle key={each} of={each} />
				))}
			</span>,
		]);
	rows.push(["Now", <Whereabouts key="n" inContext={inContext} toldBy={toldBy} />]);
	return rows;
}

function renderSentIn(sentIn: PeekView["sentIn"]): string {
	if (!sentIn) return "no request of weft";
	const { first, last } = sentIn;
	return first === last ? `request ${first}` : `requests ${first} to ${last}`;
}

function Whereabouts({ inContext, toldBy }: Pick<PeekView, "inContext" | "toldBy">): JSX.Element {
	if (inContext) return <State is="fresh">verbatim in the newest request</State>;
	if (!toldBy) return <>in the log</>;
	return (
		<span>
			left out, summarised in <Handle of={toldBy} />
		</span>
	);
}
