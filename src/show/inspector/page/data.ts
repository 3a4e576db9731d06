/** The data of a page: its JSON dataPath, asked again when the log has grown. */
import { useEffect, useRef, useState } from "preact/hooks";
import { readAddress } from "./address.ts";
import { savedFile } from "./saved-file.ts";

export interface PageProblem {
	readonly code: string;
	readonly message: string;
}

export interface Loaded<T> {
	readonly data: T | undefined;
	readonly problem: PageProblem | undefined;
	/** It has taken long enough to say so. */
	readonly slow: boolean;
}

const SLOW_MS = 200;

export async function load<T>(path: string, signal?: AbortSignal): Promise<T> {
	if (savedFile) {
		const plain = path.split("?")[0]!;
		const found = savedFile.pages[path] ?? savedFile.pages[plain];
		if (found === undefined)
			throw { code: "not-found", message: "This is not in the file. The inspector on the machine of the log has it." };
		return found as T;
	}
	const response = await fetch(path, { signal: signal ?? null, headers: { accept: "application/json" } }).catch(
		(error: unknown) => {
			if (signal?.aborted) throw error;
			throw { code: "gone", message: "The inspector has stopped." };
		},
	);
	const value = (await response.json()) as T & { error?: PageProblem };
	if (!response.ok) throw value.error ?? { code: "fault", message: `HTTP ${response.status}` };
	return value;
}

/** `path` undefined: nothing is asked. What was there stays until the new is there. */
export function usePageData<T>(path: string | undefined, { live = true } = {}): Loaded<T> {
	const tick = useTick();
	const [state, set] = useState<Loaded<T> & { readonly of: string | undefined }>({
		data: undefined,
		problem: undefined,
		slow: false,
		of: undefined,
	});
	const seen = useRef<string | undefined>(undefined);
	const follow = live ? tick : 0;
	useEffect(() => {
		if (path === undefined) return;
		void follow;
		const control = new AbortController();
		const isNew = seen.current !== path;
		if (isNew) seen.current = path;
		const timer = setTimeout(() => set((old) => (old.of === path ? old : { ...old, slow: true })), SLOW_MS);
		load<T>(path, control.signal)
			.then(
				(data) => set({ data, problem: undefined, slow: false, of: path }),
				(problem: PageProblem) => {
					if (!control.signal.aborted)
						set((old) => ({ data: old.of === path ? old.data : undefined, problem, slow: false, of: path }));
				},
			)
			.finally(() => clearTimeout(timer));
		return () => {
			clearTimeout(timer);
			control.abort();
		};
	}, [path, follow]);
	// The data of another address is not this one's.
	return state.of === path || state.slow
		? { ...state, data: state.of === path ? state.data : undefined }
		: { data: undefined, problem: undefined, slow: state.slow };
}

/** As `usePageData`, but goes on showing the old address's data until the new one's are there: for filters. */
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

/* The log's newest event, told by the server. */
let seq = 0;
let isConnected = true;
const listeners = new Set<() => void>();
let source: EventSource | undefined;
let followed = "";

export function followLog(project: string): void {
	if (savedFile || project === "" || followed === project) return;
	followed = project;
	source?.close();
	source = new EventSource(`/p/${project}/live`);
	source.onmessage = ({ data }: MessageEvent<string>) => {
		seq = (JSON.parse(data) as { seq: number }).seq;
		isConnected = true;
		tell();
	};
	source.onerror = () => {
		// An answer that is no stream: there is no log yet, or it cannot be opened. The server itself is there.
		if (source?.readyState === EventSource.CLOSED) {
			setTimeout(() => {
				if (followed !== project) return;
				followed = "";
				followLog(project);
			}, LOOK_AGAIN_MS);
			return;
		}
		isConnected = false;
		tell();
	};
}

const LOOK_AGAIN_MS = 3_000;

function tell(): void {
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

/** The clock, for ages: ticks slowly. A file stands still. */
export function useNow(): number {
	const [now, set] = useState(() => savedFile?.made ?? Date.now());
	useEffect(() => {
		if (savedFile) return;
		const timer = setInterval(() => set(Date.now()), 5_000);
		return () => clearInterval(timer);
	}, []);
	return now;
}
