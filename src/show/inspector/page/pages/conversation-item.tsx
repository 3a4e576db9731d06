/** The messages of a conversation and the rules across it. What is folded is rendered when it is opened. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { missWords } from "../../../../view/cache-miss.ts";
import { stayWords } from "../../../../view/context-stay.ts";
import type {
	ConversationBlock,
	ConversationCall,
	ConversationChunk,
	ConversationItem,
	ConversationMessage,
	ConversationRule,
	CutText,
	MessageImage,
} from "../../../../view/conversation.ts";
import { speakerName } from "../../../../view/speaker-name.ts";
import { href, readAddress } from "../address.ts";
import { load, usePageData } from "../data.ts";
import { clock, cost, count, day, kilo, many } from "../format.ts";
import { Code, cls, State, Waiting } from "../parts.tsx";
import { Prose } from "../prose.tsx";
import { savedFile } from "../saved-file.ts";
import { Diff, Handle, Text } from "../text.tsx";

interface ItemContext {
	/** The place of the message in the address. */
	readonly target?: number | undefined;
	/** The handle in the address: a folded part with it is open. */
	readonly opened?: string | undefined;
	/** Words to mark in it. */
	readonly words?: string | undefined;
	/** The session of the messages, where it is not that of the address. */
	readonly session?: string | undefined;
	readonly onSize?: (() => void) | undefined;
}

export function ConversationItems({
	items,
	...context
}: ItemContext & { items: readonly ConversationItem[] }): JSX.Element {
	return (
		<>
			{items.map((item, at) => {
				if (item.kind !== "message") return <Rule key={item.place} rule={item} />;
				return <Message key={item.place} item={item} before={items[at - 1]} {...context} />;
			})}
		</>
	);
}

function Message({
	item,
	before,
	...context
}: ItemContext & { item: ConversationMessage; before: ConversationItem | undefined }): JSX.Element {
	const box = useRef<HTMLElement>(null);
	const isTarget = item.place === context.target;
	useEffect(() => {
		if (!isTarget || !context.words) return;
		// After its folds have opened.
		const timer = setTimeout(markWords, MARK_AFTER_MS, box.current, context.words);
		return () => clearTimeout(timer);
	}, [isTarget, context.words]);
	const follows = before?.kind === "message" && before.who === item.who && item.who !== "user" && !item.request;
	const isSame = follows && !isTarget && stayWords(before.stay) === stayWords(item.stay);
	const open = isTarget ? context.opened : undefined;
	return (
		<article
			ref={box}
			class={cls("msg", item.who, follows && "follows", isSame && "same", isTarget && "on", item.isAbandoned && "off")}
			data-place={context.session === undefined ? item.place : undefined}
			aria-label={`${speakerName(item)}, ${clock(item.ts)}`}
		>
			<header>
				{!follows && <b>{context.session !== undefined && item.isPrompt ? "Task" : speakerName(item)}</b>}
				{item.request && <RequestFacts request={item.request} session={context.session} />}
				<a
					class="dim nw"
					href={href({ ...sessionOf(context.session), id: item.handle, set: { q: null } })}
					title={`${item.handle}: link to this message`}
				>
					{item.isPrompt && `${day(item.ts)} `}
					{clock(item.ts)}
				</a>
				{!isSame && <Stay item={item} />}
			</header>
			{item.isAbandoned && <p class="dim">On a branch that the session left.</p>}
			{item.blocks.map((block, at) => (
				<Block key={at} block={block} who={item.who} open={open} handle={item.handle} context={context} />
			))}
		</article>
	);
}

function sessionOf(session: string | undefined): { session?: string } {
	return session === undefined ? {} : { session };
}

function Stay({ item: { stay } }: { item: ConversationMessage }): JSX.Element {
	const words = stayWords(stay).replace(/\.$/, "");
	return (
		<span class={cls("stay", stay.last !== null && "left")}>
			{words}
			{stay.coveredBy?.handle && (
				<>
					{" "}
					<Handle of={stay.coveredBy.handle} />
				</>
			)}
			{stay.again[0] && (
				<>
					{" "}
					<a class="hd" href={href({ id: stay.again[0].handle, set: { q: null } })}>
						there
					</a>
				</>
			)}
		</span>
	);
}

function RequestFacts({
	request: { n, tokens, dollars: price, isEstimated, isAssumed, miss },
	session,
}: {
	request: NonNullable<ConversationMessage["request"]>;
	session: string | undefined;
}): JSX.Element {
	return (
		<span class="facts-line">
			<a
				href={href({ ...sessionOf(session), page: "request", id: String(n), fresh: true })}
				title={`request ${n}: what was sent`}
			>
				request {count(n)}
			</a>{" "}
			<span class="dim nw">
				{tokens > 0 && `${kilo(tokens)} tokens`}
				{price !== null && price > 0 && `, ${cost({ dollars: price, estimated: isEstimated, assumed: isAssumed })}`}
			</span>{" "}
			{miss && <State is="blocked">{missWords(miss)}</State>}
		</span>
	);
}

function Block({
	block,
	who,
	open,
	handle,
	context,
}: {
	block: ConversationBlock;
	who: ConversationMessage["who"];
	open: string | undefined;
	handle: string;
	context: ItemContext;
}): JSX.Element | null {
	switch (block.kind) {
		case "text":
			if (who === "program" || who === "other")
				return (
					<Fold title={<Beginning of={block} />} isOpen={open === handle} context={context}>
						<Whole of={block} handle={handle} />
					</Fold>
				);
			return (
				<>
					<Prose>{block.text}</Prose>
					<Rest of={block} handle={handle} />
				</>
			);
		case "thinking":
			return (
				<Fold title={<span class="dim">Thinking, {many(block.total, "character")}</span>} context={context}>
					<Prose>{block.text}</Prose>
					<Rest of={block} handle={handle} />
				</Fold>
			);
		case "image":
			return <Picture handle={block.handle} n={block.n} />;
		case "other":
			return (
				<Fold
					title={
						<>
							<code>
								<Text>{block.name}</Text>
							</code>{" "}
							<Beginning of={block} />
						</>
					}
					isOpen={open === handle}
					context={context}
				>
					<Whole of={block} handle={handle} />
				</Fold>
			);
		case "call":
			return (
				<Call call={block} isOpen={open !== undefined && isFoundIn(block, open, context.words)} context={context} />
			);
	}
}

/** The message in the address is this call's result, or the words of a search are in the call. */
function isFoundIn({ result, input }: ConversationCall, opened: string, words = ""): boolean {
	const found = wordsOf(words);
	const text = `${input.text}\n${result?.text ?? ""}`.toLowerCase();
	return opened === result?.handle || (found.length > 0 && found.every((word) => text.includes(word)));
}

function wordsOf(words: string): string[] {
	return words.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? [];
}

function Call({
	call,
	isOpen,
	context,
}: {
	call: ConversationCall;
	isOpen: boolean;
	context: ItemContext;
}): JSX.Element {
	const { tool, about, diffs, result, child, images } = call;
	const title = (
		<>
			<code class="b">
				<Text>{tool}</Text>
			</code>{" "}
			<span class="about" title={about.slice(0, 400)}>
				<Text>{about}</Text>
			</span>
			{diffs.length > 0 && (
				<span class="nw dim">
					{diffs.length > 1 ? `${many(diffs.length, "file")} ` : ""}+{count(sumOf(diffs.map(({ added }) => added)))} −
					{diffs.some(({ removed }) => removed === null) ? "?" : count(sumOf(diffs.map(({ removed }) => removed ?? 0)))}
				</span>
			)}
			{child && (
				<span class="nw">sub-agent, {child.messages > 0 ? many(child.messages, "message") : "not in the log"}</span>
			)}
			{result?.isError && <State is="blocked">failed</State>}
			{!result && <span class="dim nw">no result</span>}
		</>
	);
	const isDiff = diffs.some(({ text }) => text !== "");
	return (
		<Fold title={title} isOpen={isOpen} context={context} kind="call">
			{diffs.map((diff) => diff.text !== "" && <FileDiff key={diff.path} diff={diff} />)}
			{!isDiff && call.input.total > 0 && (
				<Code>
					<Text>{call.input.text}</Text>
				</Code>
			)}
			{result && (!isDiff || result.isError) && <Whole of={result} handle={result.handle} />}
			{images.map(({ handle, n }) => (
				<Picture key={`${handle} ${n}`} handle={handle} n={n} />
			))}
			{child && <SubAgent child={child} />}
		</Fold>
	);
}

function FileDiff({ diff: { path, text, total } }: { diff: ConversationCall["diffs"][number] }): JSX.Element {
	return (
		<>
			<p class="mono dim">
				<Text>{path}</Text>
			</p>
			<Diff lines={text.replace(/\n$/, "").split("\n")} />
			{total > text.length && <p class="dim">{many(total - text.length, "character")} more.</p>}
		</>
	);
}

/** Pages of a sub-agent's conversation, inside the call that started it. */
function SubAgent({ child }: { child: NonNullable<ConversationCall["child"]> }): JSX.Element {
	const [parts, setParts] = useState(1);
	return (
		<div class="nested">
			<p>
				<a class="b" href={href({ session: child.session, page: "conversation", fresh: true })}>
					Open the sub-agent's conversation
				</a>
			</p>
			{child.messages > 0 &&
				Array.from({ length: parts }, (_, chunk) => (
					<SubAgentPart
						key={chunk}
						session={child.session}
						chunk={chunk}
						more={chunk === parts - 1 ? () => setParts(parts + 1) : undefined}
					/>
				))}
		</div>
	);
}

function SubAgentPart({
	session,
	chunk,
	more,
}: {
	session: string;
	chunk: number;
	more: (() => void) | undefined;
}): JSX.Element | null {
	const path = `/p/${readAddress().project}/s/${encodeURIComponent(session)}/conversation/${chunk}.json`;
	const loaded = usePageData<ConversationChunk>(path, { live: false });
	if (!loaded.data) return chunk > 0 && loaded.problem ? null : <Waiting of={loaded} />;
	return (
		<>
			<ConversationItems items={loaded.data.items} session={session} />
			{more && loaded.data.items.length >= FULL_PART && (
				<button type="button" onClick={more}>
					Show more
				</button>
			)}
		</>
	);
}

const FULL_PART = 40;

/** A picture is fetched when its message is rendered. */
function Picture({ handle, n }: { handle: string; n: number }): JSX.Element {
	const [image, set] = useState<MessageImage | undefined>();
	useEffect(() => {
		if (savedFile) return;
		load<MessageImage>(`/p/${readAddress().project}/image/${handle}/${n}.json`).then(set, () => {});
	}, [handle, n]);
	if (!image) return <p class="dim">[picture]</p>;
	return <img class="picture" alt="in the message" src={`data:${image.mimeType};base64,${image.base64}`} />;
}

function Fold({
	title,
	isOpen = false,
	kind = "",
	context,
	children,
}: {
	title: ComponentChildren;
	isOpen?: boolean;
	kind?: string;
	context: ItemContext;
	children: ComponentChildren;
}): JSX.Element {
	const [open, set] = useState(isOpen);
	useEffect(() => {
		if (isOpen) set(true);
	}, [isOpen]);
	useEffect(() => context.onSize?.(), [open]);
	return (
		<details class={cls("fold", kind)} open={open} onToggle={(event) => set(event.currentTarget.open)}>
			<summary>{title}</summary>
			{open && <div class="in">{children}</div>}
		</details>
	);
}

function Beginning({ of: { text } }: { of: CutText }): JSX.Element {
	return (
		<span class="about dim" title={text.slice(0, 200)}>
			<Text>{text.slice(0, 200).replace(/\s+/g, " ")}</Text>
		</span>
	);
}

function Whole({ of, handle }: { of: CutText; handle: string }): JSX.Element {
	return (
		<>
			<Code>
				<Text links>{of.text}</Text>
			</Code>
			<Rest of={of} handle={handle} />
		</>
	);
}

function Rest({ of: { text, total }, handle }: { of: CutText; handle: string }): JSX.Element | null {
	if (total <= text.length) return null;
	return (
		<p class="dim">
			{many(total - text.length, "character")} more: <Handle of={handle} />
		</p>
	);
}

function Rule({ rule }: { rule: ConversationRule }): JSX.Element {
	const { kind, place, handle, ts, why, tokensBefore, tokensAfter, left, text } = rule;
	const by = kind === "seal" ? `weft sealed the history (${why})` : "The agent compacted its history";
	const sizes =
		tokensBefore !== null && tokensAfter !== null ? `: ${count(tokensBefore)} → ${count(tokensAfter)} tokens` : "";
	return (
		<section class={`across ${kind}`} data-place={place} data-rule={kind} aria-label={by}>
			<p>
				<b>{by}</b>
				{sizes}
				{left !== null && `, ${many(left, "message")} left`} <span class="dim nw">{clock(ts)}</span>{" "}
				<Handle of={handle} />
			</p>
			{text && text.total > 0 && (
				<Fold title={<span class="dim">What replaced them, {many(text.total, "character")}</span>} context={{}}>
					<Prose>{text.text}</Prose>
					<Rest of={text} handle={handle} />
				</Fold>
			)}
		</section>
	);
}

/** Marks words without touching the page's elements. A browser that cannot do so marks none. */
function markWords(box: HTMLElement | null, words: string): void {
	if (!box || !("highlights" in CSS)) return;
	const found = wordsOf(words);
	const ranges: Range[] = [];
	const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = (node.textContent ?? "").toLowerCase();
		for (const word of found) {
			for (
				let at = text.indexOf(word);
				at !== -1 && ranges.length < MAX_MARKS;
				at = text.indexOf(word, at + word.length)
			) {
				const range = new Range();
				range.setStart(node, at);
				range.setEnd(node, at + word.length);
				ranges.push(range);
			}
		}
	}
	CSS.highlights.set("found", new Highlight(...ranges));
}

const MAX_MARKS = 500;
const MARK_AFTER_MS = 50;

function sumOf(numbers: readonly number[]): number {
	return numbers.reduce((sum, each) => sum + each, 0);
}
