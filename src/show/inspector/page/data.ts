/** The data of a page: its JSON dataPath, asked again when the log has grown. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./access.ts";
import { readAddress } from "./address.ts";
import { savedFile } from "./saved-file.ts";

export interface PageProblem {
	readonly code: string;
	readonly message: string;
}

export interface Loaded<T> {
	readonly data: T | undefined;
	readonly problem: PageProblem | undefined;
	/** Loading has taken long enough to show that it takes time. */
	readonly slow: boolean;
	/** Nothing is loaded, because there is no path to load. */
	readonly isIdle: boolean;
}

const SLOW_MS = 200;

export async function load<T>(path: string, signal?: AbortSignal): Promise<T> {
	if (savedFile) {
		const found = savedFile.pages[path] ?? savedFile.pages[path.replace(/\?.*$/, "")];
		if (found === undefined)
			throw {
				code: "not-found",
				message: "This file does not contain it. Open the inspector on the machine that has the log.",
			};
		return found as T;
	}
	const response = await ask(path, { signal: signal ?? null }).catch((error: unknown) => {
		if (signal?.aborted) throw error;
		throw { code: "gone", message: "The inspector has stopped." };
	});
	const value = (await response.json()) as T & { error?: PageProblem };
	if (!response.ok) throw value.error ?? { code: "fault", message: `HTTP ${response.status}` };
	return value;
}

interface PageDataUse<T> {
	/** False: the data stays as it was first loaded. */
	readonly live?: boolean;
	/** True: this data is not the last word, ask again soon. */
	readonly again?: (data: T) => boolean;
}

const AGAIN_MS = 400;

/** Loads nothing while `path` is undefined. The old data of a path stays until its new data is there. */
export function usePageData<T>(path: string | undefined, { live = true, again }: PageDataUse<T> = {}): Loaded<T> {
	const tick = useTick();
	const [round, setRound] = useState(0);
	const [state, set] = useState<Loaded<T> & { readonly of: string | undefined }>({
		data: undefined,
		problem: undefined,
		slow: false,
		isIdle: true,
		of: undefined,
	});
	const follow = live ? tick : 0;
	useEffect(() => {
		if (path === undefined) return;
		void follow;
		void round;
		let next: ReturnType<typeof setTimeout> | undefined;
		const control = new AbortController();
		const timer = setTimeout(() => set((old) => (old.of === path ? old : { ...old, slow: true })), SLOW_MS);
		load<T>(path, control.signal)
			.then(
				(data) => {
					set({ data, problem: undefined, slow: false, isIdle: false, of: path });
					if (again?.(data)) next = setTimeout(() => setRound((old) => old + 1), AGAIN_MS);
				},
				(problem: PageProblem) => {
					if (!control.signal.aborted)
						set((old) => ({
							data: old.of === path ? old.data : undefined,
							problem,
							slow: false,
							isIdle: false,
							of: path,
						}));
				},
			)
			.finally(() => clearTimeout(timer));
		return () => {
			clearTimeout(timer);
			clearTimeout(next);
			control.abort();
		};
	}, [path, follow, round, again]);
	// Data of another path must not be shown as this one's.
	return state.of === path || state.slow
		? { ...state, data: state.of === path ? state.data : undefined, isIdle: path === undefined }
		: { data: undefined, problem: undefined, slow: state.slow, isIdle: path === undefined };
}

/** Like `usePageData`, but keeps showing the data of the old path until the new data is there: for filters. */
export function useSteadyPageData<T>(path: string | undefined): Loaded<T> {
	const loaded = usePageData<T>(path);
	const last = useRef<T | undefined>(undefined);
	if (loaded.data !== undefined) last.current = loaded.data;
	return loaded.problem ? loaded : { ...loaded, data: loaded.data ?? last.current };
}

export function dataPath(page: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
	const { project, session } = readAddress();
	const search = new URLSearchParams(
		Object.entries(query).flatMap(([name, value]) =>
			value === undefined || value === "" ? [] : [[name, String(value)]],
		),
	);
	return `/p/${project}/s/${encodeURIComponent(session)}/${page}.json${search.size > 0 ? `?${search}` : ""}`;
}

/* The seq of the newest event of the log, as the server last sent it. */
let seq = 0;
let isConnected = true;
const listeners = new Set<() => void>();
let following: AbortController | undefined;
let followed = "";

const RECONNECT_MS = 3_000;

export function followLog(project: string): void {
	if (savedFile || project === "" || followed === project) return;
	followed = project;
	following?.abort();
	const control = new AbortController();
	following = control;
	void followUntil(project, control.signal);
}

/** Connects again until the page follows another project. */
async function followUntil(project: string, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		try {
			const response = await ask(`/p/${project}/live`, { signal });
			// Without a stream: the log does not exist yet, or cannot be opened.
			if (response.ok && response.body) await readSeqs(response.body);
			else await response.body?.cancel();
			throw response.ok ? new Error("the stream has ended") : undefined;
		} catch (error) {
			if (signal.aborted) return;
			if (error !== undefined) {
				isConnected = false;
				notify();
			}
		}
		await new Promise((done) => setTimeout(done, RECONNECT_MS));
	}
}

async function readSeqs(body: ReadableStream<Uint8Array>): Promise<void> {
	const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
	let text = "";
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		const events = (text + value).split("\n\n");
		text = events.pop() ?? "";
		for (const event of events) {
			if (!event.startsWith("data: ")) continue;
			seq = (JSON.parse(event.slice("data: ".length)) as { seq: number }).seq;
			isConnected = true;
			notify();
		}
	}
}

function notify(): void {
	for (const each of listeners) each();
}

function useTick(): number {
	const [tick, set] = useState(seq);
	useEffect(() => {
		const update = () => set(seq);
		listeners.add(update);
		return () => void listeners.delete(update);
	}, []);
	return tick;
}

export function useConnected(): boolean {
	const [connected, set] = useState(isConnected);
	useEffect(() => {
		const update = () => set(isConnected);
		listeners.add(update);
		return () => void listeners.delete(update);
	}, []);
	return connected;
}

/** The time from which ages are computed. It ticks slowly, and not at all in a saved file. */
export function useNow(): number {
	const [now, set] = useState(() => savedFile?.made ?? Date.now());
	useEffect(() => {
		if (savedFile) return;
		const timer = setInterval(() => set(Date.now()), 5_000);
		return () => clearInterval(timer);
	}, []);
	return now;
}
