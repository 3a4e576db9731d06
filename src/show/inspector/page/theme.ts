import { go, href, type PageAddress, readAddress } from "./address.ts";

/* The theme of the operating system, unless the address names one. */
function systemTheme(): "light" | "dark" {
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function currentTheme({ query }: PageAddress): "light" | "dark" {
	return query["theme"] === "dark" || query["theme"] === "light" ? query["theme"] : systemTheme();
}

export function switchTheme(from = currentTheme(readAddress())): void {
	const to = from === "dark" ? "light" : "dark";
	go(href({ set: { theme: to === systemTheme() ? null : to } }), { replace: true });
}
