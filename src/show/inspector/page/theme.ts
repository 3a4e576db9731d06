import { go, href, type Place, readPlace } from "./address.ts";

/* The theme is the reader's; an address may override it. */
function systemTheme(): "light" | "dark" {
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function currentTheme({ query }: Place): "light" | "dark" {
	return query["theme"] === "dark" || query["theme"] === "light" ? query["theme"] : systemTheme();
}

export function switchTheme(from = currentTheme(readPlace())): void {
	const to = from === "dark" ? "light" : "dark";
	go(href({ set: { theme: to === systemTheme() ? null : to } }), { replace: true });
}
