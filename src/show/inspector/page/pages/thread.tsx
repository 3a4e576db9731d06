/** What was asked, what holds, what is done with proof, what is open and next: each item with its source and the user's marks. */
import type { JSX } from "preact";
import { shortSession } from "../../../../view/short-session.ts";
import type { ThreadView, ThreadViewItem, ThreadViewSection } from "../../../../view/thread.ts";
import { href, type PageAddress } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { many } from "../format.ts";
import { Copy, Head, State, type StateKind, Waiting } from "../parts.tsx";
import { Line } from "../prose.tsx";
import { Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

/** Shown on the left; the others are on the right. */
const LEFT: ReadonlySet<string> = new Set(["asked", "holds", "plan", "done"]);
const FIRST_ITEMS = 8;
const ITEM_CHARS = 1_200;

export function Thread({ address }: PageProps): JSX.Element {
	const path = dataPath("thread", { all: 1 });
	const loaded = usePageData<ThreadView>(path);
	const view = loaded.data;
	const column = (isLeft: boolean) =>
		view?.sections
			.filter(({ name }) => LEFT.has(name) === isLeft)
			.map((section) => <Section key={section.name} section={section} address={address} />);
	return (
		<>
			<Head
				title="Thread"
				sub={view ? `${many(view.requests, "request")} of the user` : ""}
				cli="weft thread"
				json={path}
				more={
					<Copy
						text={() => `weft handover ${shortSession(address.session)}`}
						title="copy the command that hands this session over to another agent"
					>
						Copy handover
					</Copy>
				}
			/>
			{!view ? (
				<Waiting of={loaded} />
			) : view.sections.length === 0 ? (
				<div class="scroll">
					<div class="sec">
						<div class="note">Nothing was asked in this session yet.</div>
					</div>
				</div>
			) : (
				<div class="scroll">
					<div class="cols2">
						<div>{column(true)}</div>
						<div>{column(false)}</div>
					</div>
				</div>
			)}
		</>
	);
}

function Section({ section, address }: { section: ThreadViewSection; address: PageAddress }): JSX.Element {
	const { name, title, items } = section;
	const isWhole = LEFT.has(name) || address.query["show"] === name;
	const shown = isWhole ? items : items.slice(-FIRST_ITEMS);
	return (
		<div class="sec flush" data-section={name}>
			<header>
				<h2>
					{title} <span class="n">{items.length}</span>
				</h2>
			</header>
			{shown.map((item, at) => (
				<Item key={`${item.id} ${item.handle} ${at}`} item={item} address={address} />
			))}
			{shown.length < items.length && (
				<p class="hp">
					<a class="b" href={href({ set: { show: name } })}>
						Show {items.length - shown.length} earlier
					</a>
				</p>
			)}
		</div>
	);
}

const STATES: Readonly<Record<string, readonly [StateKind, string]>> = {
	open: ["stale", "open"],
	doing: ["cold", "doing"],
	done: ["fresh", "done"],
	dropped: ["none", "dropped"],
	replaced: ["none", "replaced"],
	struck: ["blocked", "struck out"],
};

function Item({ item, address }: { item: ThreadViewItem; address: PageAddress }): JSX.Element {
	const [is, word] = STATES[item.state] ?? [undefined, ""];
	const isMarked = item.isPinned || item.state === "struck";
	return (
		<div class="fail thread-item" data-item={item.id}>
			<div class="h">
				<span class={item.state === "struck" ? "struck" : undefined}>
					<Line line={item.text.slice(0, ITEM_CHARS)} />
					{item.text.length > ITEM_CHARS && <span class="dim"> …</span>}
				</span>
				<span class="nw">
					{item.isPinned && <span class="pinned">pinned</span>}
					{is && <State is={is}>{word}</State>}
				</span>
			</div>
			<Proof item={item} />
			<div class="f">
				{item.id !== null && <span class="mono dim">{item.id}</span>}
				<span class="dim">{item.by}</span>
				<Handle of={item.handle} />
				{item.replacedBy !== undefined && (
					<span class="dim">
						{item.state === "replaced" ? "replaced" : "corrected"} in <Handle of={item.replacedBy} />
					</span>
				)}
				{item.id !== null && (
					<span class="acts">
						{isMarked ? (
							<Mark word="clear" id={item.id} address={address} />
						) : (
							<>
								<Mark word="pin" id={item.id} address={address} />
								<Mark word="strike" id={item.id} address={address} />
							</>
						)}
					</span>
				)}
			</div>
		</div>
	);
}

function Proof({ item: { kind, state, proof, detail, outcome } }: { item: ThreadViewItem }): JSX.Element | null {
	if (kind === "plan" && state === "done")
		return (
			<div class="m">
				{proof ? (
					<>
						proof: <Text>{proof.text}</Text> <Handle of={proof.handle} />
					</>
				) : (
					"not proved: only the agent says so"
				)}
			</div>
		);
	const more = detail ?? outcome;
	return more === undefined ? null : (
		<div class="m">
			<Line line={more.slice(0, 300)} />
		</div>
	);
}

/** The page only reads: the command marks the item. */
function Mark({ word, id, address }: { word: string; id: string; address: PageAddress }): JSX.Element {
	const command = `weft thread ${word} ${id} --session ${shortSession(address.session)}`;
	return (
		<Copy text={command} title={`copy: ${command}`}>
			{word}
		</Copy>
	);
}
