/** The address holds the whole state of a page, so that a link shows exactly what its sender saw. */
import { useEffect, useState } from "preact/hooks";
import { openData } from "./access.ts";
import { savedFile } from "./saved-file.ts";

export interface PageAddress {
	readonly project: string;
	readonly session: string;
	readonly page: string;
	readonly id: string | undefined;
	readonly query: Readonly<Record<string, string>>;
}

type AddressChange = Partial<Omit<PageAddress, "query" | "id">> & {
	readonly id?: string | undefined;
	/** Merged into the query; null removes a name. */
	readonly set?: Readonly<Record<string, string | number | null | undefined>>;
	/** Start with an empty query. */
	readonly fresh?: boolean;
};

/** A saved file has no server: there the address follows the `#`. */
function current(): string {
	if (!savedFile) return location.pathname + location.search;
	return location.hash.slice(1) || savedFile.start;
}

export function readAddress(address = current()): PageAddress {
	const [path = "", search = ""] = address.split("?");
	const [p, project = "", s, session = "", page = "", ...id] = path.split("/").filter(Boolean).map(decodeURIComponent);
	if (p === "p" && s === "sessions")
		return { project, session: "-", page: "sessions", id: undefined, query: toQuery(search) };
	const isWhole = p === "p" && s === "s";
	return {
		project: isWhole ? project : "",
		session: isWhole ? session : "",
		page: isWhole ? page || "now" : "",
		id: id.join("/") || undefined,
		query: toQuery(search),
	};
}

function toQuery(search: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(search));
}

/** The current address with a change. The query is dropped when the page or session changes, except for theme and window. */
export function href(change: AddressChange, from: PageAddress = readAddress()): string {
	const page = change.page ?? from.page;
	const moved =
		change.fresh === true || page !== from.page || (change.session !== undefined && change.session !== from.session);
	const stay = Object.fromEntries(Object.entries(from.query).filter(([name]) => name === "theme" || name === "window"));
	const query: Record<string, string> = moved ? stay : { ...from.query };
	for (const [name, value] of Object.entries(change.set ?? {})) {
		if (value === null || value === undefined || value === "") delete query[name];
		else query[name] = String(value);
	}
	const id = "id" in change ? change.id : moved ? undefined : from.id;
	const path = [
		"p",
		change.project ?? from.project,
		"s",
		change.session ?? from.session,
		page,
		...(id === undefined ? [] : [id]),
	]
		.map(encodeURIComponent)
		.join("/");
	const search = new URLSearchParams(query).toString();
	const address = `/${path}${search === "" ? "" : `?${search}`}`;
	return savedFile ? `#${address}` : address;
}

export function go(address: string, { replace = false } = {}): void {
	if (replace) history.replaceState(null, "", address);
	else history.pushState(null, "", address);
	notify();
}

const listeners = new Set<() => void>();
addEventListener("popstate", notify);
addEventListener("hashchange", notify);

function notify(): void {
	for (const listener of listeners) listener();
}

export function useAddress(): PageAddress {
	const [address, set] = useState(() => readAddress());
	useEffect(() => {
		const update = () => set(readAddress());
		listeners.add(update);
		return () => void listeners.delete(update);
	}, []);
	return address;
}

const DATA = /^\/.*\.(?:json|md|html)(?:\?|$)/;

/** Follows links between our pages without reloading. */
export function followLinks(event: MouseEvent): void {
	if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
		return;
	const link = (event.target as Element).closest?.("a[href]");
	if (!savedFile && link instanceof HTMLAnchorElement && DATA.test(link.getAttribute("href") ?? "")) {
		event.preventDefault();
		void openData(link);
		return;
	}
	const to = link?.getAttribute("href") ?? (link as SVGAElement | null)?.href?.baseVal;
	if (!link || !to || link.hasAttribute("download") || link.getAttribute("target") || !/^(\/p\/|#\/p\/)/.test(to))
		return;
	event.preventDefault();
	go(to);
}
