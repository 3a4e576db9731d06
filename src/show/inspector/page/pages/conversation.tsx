/** A session for reading. Only the parts near the screen are loaded and rendered, so its length does not matter. */
import type { JSX, RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationChunk, ConversationOutline } from "../../../../view/conversation.ts";
import { go, href, type PageAddress } from "../address.ts";
import { dataPath, load, type PageProblem, usePageData } from "../data.ts";
import { count, many } from "../format.ts";
import { Copy, Head, Trouble, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table } from "../table.tsx";
import { Text } from "../text.tsx";
import { ConversationItems } from "./conversation-item.tsx";
import type { PageProps } from "./page.ts";

export function Conversation({ address, onReady }: PageProps): JSX.Element {
	const path = dataPath("conversation");
	const loaded = usePageData<ConversationOutline>(path);
	const outline = loaded.data;
	const [shown, setShown] = useState(0);
	useEffect(() => {
		if (loaded.problem || outline?.items === 0) onReady?.();
	}, [loaded.problem, outline?.items]);
	const prompts = outline?.prompts ?? [];
	const current = prompts.findLastIndex(({ place }) => place <= shown);
	const step = usePromptSteps(prompts, current, shown);
	return (
		<>
			<Head
				title="Conversation"
				sub={outline && <Subtitle outline={outline} />}
				cli={address.id ? `weft read --at ${address.id}` : "weft read"}
				json={path}
				more={
					outline?.resume ? (
						<Copy text={outline.resume} title={`copy the command that resumes this session: ${outline.resume}`}>
							Go on from here
						</Copy>
					) : undefined
				}
			>
				<span class="seg">
					<button type="button" data-step="[" disabled={prompts.length === 0} onClick={() => step(-1)}>
						[ prompt
					</button>
					<button type="button" data-step="]" disabled={prompts.length === 0} onClick={() => step(1)}>
						prompt ]
					</button>
				</span>
			</Head>
			{!outline ? (
				<Waiting of={loaded} />
			) : outline.items === 0 ? (
				<div class="scroll">
					<div class="sec">
						<div class="note">Nothing was said in this session yet.</div>
					</div>
				</div>
			) : (
				<div class="split conv">
					<PromptList prompts={prompts} current={current} />
					<Chunks key={address.session} outline={outline} address={address} onShown={setShown} onReady={onReady} />
				</div>
			)}
		</>
	);
}

const SCROLLS = ["wheel", "touchmove", "pointerdown"] as const;

/** From the prompt at the top of the screen, or from the last step: steps may come faster than the page scrolls. */
function usePromptSteps(prompts: ConversationOutline["prompts"], current: number, shown: number): (by: 1 | -1) => void {
	const stepped = useRef<number | undefined>(undefined);
	useEffect(() => {
		const forget = () => {
			stepped.current = undefined;
		};
		for (const type of SCROLLS) document.addEventListener(type, forget, { passive: true, capture: true });
		return () => {
			for (const type of SCROLLS) document.removeEventListener(type, forget, { capture: true });
		};
	}, []);
	return (by) => {
		const isInside = stepped.current === undefined && by === -1 && (prompts[current]?.place ?? 0) < shown;
		const next = isInside ? current : (stepped.current ?? current) + by;
		const to = prompts[next];
		if (!to) return;
		stepped.current = next;
		go(href({ id: to.handle, set: { q: null } }), { replace: true });
	};
}

function Subtitle({ outline: { title, messages, prompts } }: { outline: ConversationOutline }): JSX.Element {
	return (
		<>
			<span class="hide-s">
				<Text>{title ?? ""}</Text> ·{" "}
			</span>
			{many(prompts.length, "prompt")}, {many(messages, "message")}
		</>
	);
}

function PromptList({ prompts, current }: { prompts: ConversationOutline["prompts"]; current: number }): JSX.Element {
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => box.current?.querySelector("tr.on")?.scrollIntoView({ block: "nearest" }), [current, prompts.length]);
	return (
		<div class="prompts hide-s" ref={box}>
			<Table
				label="Prompts"
				columns={[{ title: "#", width: 48, num: true }, { title: "Prompt" }]}
				rows={prompts.map(({ handle, text }, at) => ({
					key: `${handle} ${at}`,
					href: href({ id: handle, set: { q: null } }),
					selected: at === current,
					cells: [
						count(at + 1),
						<span key="t" title={text}>
							<Text>{text}</Text>
						</span>,
					],
				}))}
			/>
		</div>
	);
}

/** Of a part that was not measured yet. */
const ESTIMATED_ITEM_PX = 90;
/** Rendered above and below the screen. */
const MARGIN_PX = 1_500;

function Chunks({
	outline,
	address,
	onShown,
	onReady,
}: {
	outline: ConversationOutline;
	address: PageAddress;
	onShown: (place: number) => void;
	onReady: PageProps["onReady"];
}): JSX.Element {
	const box = useRef<HTMLDivElement>(null);
	const { items, chunkItems } = outline;
	const chunks = Math.ceil(items / chunkItems);
	const { target, problem } = useTarget(address.id, outline);
	const near = useNearChunks(box, { chunks, chunkItems, target, onShown });
	const heights = useRef(new Map<number, number>());
	const pin = usePin(box, target, chunkItems);
	const measure = useCallback((chunk: number, px: number) => {
		heights.current.set(chunk, px);
		pin();
		onReady?.();
	}, []);
	return (
		<div class="talk" ref={box}>
			{problem && <Trouble problem={problem} />}
			{Array.from({ length: chunks }, (_, chunk) => {
				const size = Math.min(chunkItems, items - chunk * chunkItems);
				const isNear = chunk >= near.first && chunk <= near.last;
				const height = heights.current.get(chunk) ?? size * ESTIMATED_ITEM_PX;
				return (
					<div
						key={chunk}
						data-chunk={chunk}
						// A part that is shown has its own height.
						style={{ minHeight: isNear ? "" : `${height}px` }}
					>
						{isNear && (
							<Chunk
								chunk={chunk}
								isLast={chunk === chunks - 1}
								height={height}
								target={target}
								address={address}
								measure={measure}
							/>
						)}
					</div>
				);
			})}
		</div>
	);
}

const MAX_CACHED_CHUNKS = 40;
const cachedChunks = new Map<string, ConversationChunk>();

function Chunk({
	chunk,
	isLast,
	height,
	target,
	address,
	measure,
}: {
	chunk: number;
	isLast: boolean;
	height: number;
	target: number | undefined;
	address: PageAddress;
	measure: (chunk: number, px: number) => void;
}): JSX.Element {
	const path = dataPath(`conversation/${chunk}`);
	const loaded = usePageData<ConversationChunk>(path, { live: isLast });
	const data = loaded.data ?? cachedChunks.get(path);
	const box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		if (!data) return;
		cachedChunks.delete(path);
		cachedChunks.set(path, data);
		if (cachedChunks.size > MAX_CACHED_CHUNKS) cachedChunks.delete(cachedChunks.keys().next().value ?? "");
		measure(chunk, box.current?.offsetHeight ?? height);
	}, [data]);
	if (!data)
		return (
			<div style={{ minHeight: `${height}px` }} aria-busy={loaded.problem ? undefined : "true"}>
				{loaded.problem && <Trouble problem={loaded.problem} />}
			</div>
		);
	return (
		<div ref={box}>
			<ConversationItems
				items={data.items}
				target={target}
				opened={address.id}
				words={address.query["q"]}
				onSize={() => measure(chunk, box.current?.offsetHeight ?? height)}
			/>
		</div>
	);
}

/** The place of the message in the address. */
function useTarget(
	handle: string | undefined,
	{ prompts }: ConversationOutline,
): { readonly target: number | undefined; readonly problem: PageProblem | undefined } {
	const [found, set] = useState<{ handle?: string; place?: number; problem?: PageProblem }>({});
	const known = handle === undefined ? undefined : (prompts.find((each) => each.handle === handle)?.place ?? undefined);
	useEffect(() => {
		if (handle === undefined || known !== undefined || found.handle === handle) return;
		let isOld = false;
		const path = dataPath(`conversation/${encodeURIComponent(handle)}`);
		(savedFile ? placeInFile(handle) : load<{ place: number }>(path)).then(
			({ place }) => isOld || set({ handle, place }),
			(problem: PageProblem) => isOld || set({ handle, problem }),
		);
		return () => {
			isOld = true;
		};
	}, [handle, known]);
	const isFound = found.handle === handle;
	return { target: known ?? (isFound ? found.place : undefined), problem: isFound ? found.problem : undefined };
}

async function placeInFile(handle: string): Promise<{ place: number }> {
	for (const page of Object.values(savedFile?.pages ?? {})) {
		const { items } = page as Partial<ConversationChunk>;
		const item = Array.isArray(items) ? items.find((each) => each?.handle === handle) : undefined;
		if (item && "place" in item) return { place: item.place };
	}
	throw { code: "not-found", message: "This file does not contain the message." };
}

interface NearOptions {
	readonly chunks: number;
	readonly chunkItems: number;
	readonly target: number | undefined;
	readonly onShown: (place: number) => void;
}

/** The parts near the screen, and which item is at its top. */
function useNearChunks(
	box: RefObject<HTMLDivElement | null>,
	{ chunks, chunkItems, target, onShown }: NearOptions,
): { readonly first: number; readonly last: number } {
	const start = target === undefined ? 0 : Math.floor(target / chunkItems);
	const [near, setNear] = useState({ first: start, last: start });
	useEffect(() => {
		if (target !== undefined) setNear({ first: start, last: start });
	}, [target]);
	useEffect(() => {
		let frame = 0;
		const look = () => {
			frame = 0;
			const parts = [...(box.current?.children ?? [])].filter((each) => each.hasAttribute("data-chunk"));
			const boxes = parts.map((each) => each.getBoundingClientRect());
			const first = boxes.findIndex(({ bottom }) => bottom > -MARGIN_PX);
			const last = boxes.findLastIndex(({ top }) => top < innerHeight + MARGIN_PX);
			if (first < 0 || last < 0) return;
			setNear((old) => (old.first === first && old.last === last ? old : { first, last }));
			const top = (box.current?.getBoundingClientRect().top ?? 0) + 40;
			const items = box.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [];
			const shown = [...items].find((each) => each.getBoundingClientRect().bottom > Math.max(top, 120));
			if (shown) onShown(Number(shown.dataset["place"]));
		};
		const onScroll = () => {
			frame ||= requestAnimationFrame(look);
		};
		onScroll();
		const resized = new ResizeObserver(onScroll);
		if (box.current) for (const each of box.current.children) resized.observe(each);
		document.addEventListener("scroll", onScroll, { capture: true, passive: true });
		addEventListener("resize", onScroll);
		return () => {
			cancelAnimationFrame(frame);
			resized.disconnect();
			document.removeEventListener("scroll", onScroll, { capture: true });
			removeEventListener("resize", onScroll);
		};
	}, [chunks]);
	return near;
}

const BY_HAND = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Keeps the message of the address at the top while parts above it load, until the reader scrolls. */
function usePin(box: RefObject<HTMLDivElement | null>, target: number | undefined, chunkItems: number): () => void {
	const pinned = useRef<number | undefined>(undefined);
	const pin = () => {
		const place = pinned.current;
		if (place === undefined) return;
		const item = box.current?.querySelector(`[data-place="${place}"]`);
		// Its part loads once it is near the screen.
		const part = box.current?.querySelector(`[data-chunk="${Math.floor(place / chunkItems)}"]`);
		(item ?? part)?.scrollIntoView({ block: "start" });
	};
	useEffect(() => {
		pinned.current = target;
		pin();
		const release = () => {
			pinned.current = undefined;
		};
		for (const type of BY_HAND) addEventListener(type, release, { passive: true });
		return () => {
			for (const type of BY_HAND) removeEventListener(type, release);
		};
	}, [target]);
	return pin;
}
