/** Checks every text on a page in the browser: no text covers another or is cut off, and the page fits the screen. */
import type { Page } from "playwright-core";

export async function layoutFaults(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		interface Box {
			left: number;
			top: number;
			right: number;
			bottom: number;
		}
		const faults: string[] = [];
		const cut = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, 50);
		const { scrollWidth } = document.documentElement;
		if (scrollWidth > innerWidth + 1) faults.push(`the page is ${scrollWidth} wide on a screen of ${innerWidth}`);
		const isHidden = (element: Element) => {
			const style = getComputedStyle(element);
			return (
				style.visibility === "hidden" || style.opacity === "0" || element.closest(".sr,option,title,[hidden]") !== null
			);
		};
		/** The visible part of a box, and the element that clips it without an ellipsis or a scrollbar. */
		const seen = (box: Box, start: Element): { box: Box; clipped: Element | undefined } => {
			let clipped: Element | undefined;
			const view = { ...box };
			for (let at: Element | null = start; at; at = at.parentElement) {
				const style = getComputedStyle(at);
				const around = at.getBoundingClientRect();
				const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
				if (clips) {
					const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
					const beyond = box.right > around.right + 1.5 || box.bottom > around.bottom + 3;
					if (
						beyond &&
						!scrolls &&
						style.textOverflow !== "ellipsis" &&
						clipped === undefined &&
						at.tagName !== "BODY" &&
						at.tagName !== "MAIN"
					)
						clipped = at;
					view.left = Math.max(view.left, around.left);
					view.top = Math.max(view.top, around.top);
					view.right = Math.min(view.right, around.right);
					view.bottom = Math.min(view.bottom, around.bottom);
					// The reader can scroll there, or sees the ellipsis: nothing further out cuts it off.
					if (scrolls || style.textOverflow === "ellipsis") break;
				}
			}
			return { box: view, clipped };
		};
		const texts: { box: Box; text: string; element: Element }[] = [];
		const walker = document.createTreeWalker(
			document.querySelector("dialog[open]") ?? document.body,
			NodeFilter.SHOW_TEXT,
		);
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			const text = node.textContent ?? "";
			const element = node.parentElement;
			if (text.trim() === "" || !element || isHidden(element)) continue;
			const range = document.createRange();
			range.selectNodeContents(node);
			for (const rect of range.getClientRects()) {
				if (rect.width < 1 || rect.height < 1) continue;
				const { box, clipped } = seen(rect, element);
				if (box.right - box.left < 1 || box.bottom - box.top < 1 || box.top > innerHeight || box.bottom < 0) continue;
				if (clipped) faults.push(`“${cut(text)}” is cut off by ${clipped.tagName}.${clipped.className}`);
				const shortened =
					getComputedStyle(element).textOverflow === "ellipsis" &&
					rect.right > element.getBoundingClientRect().right + 1.5;
				if (shortened && !element.closest("[title],[data-row],a,.vit,.pal,tr"))
					faults.push(`“${cut(text)}” is shortened and nothing shows it whole`);
				const cell = element.closest("td.num, th.num");
				// The ellipsis comes where the padding begins.
				const padding = cell ? Number.parseFloat(getComputedStyle(cell).paddingRight) : 0;
				if (cell && rect.right > cell.getBoundingClientRect().right - padding + 1.5)
					faults.push(`the number “${cut(text)}” is shortened`);
				texts.push({ box, text: cut(text), element });
			}
		}
		texts.sort((one, other) => one.box.top - other.box.top);
		const slack = 2;
		for (const [at, one] of texts.entries()) {
			for (const other of texts.slice(at + 1)) {
				if (other.box.top >= one.box.bottom - slack) break;
				if (one.element === other.element) continue;
				// Sticky elements cover what scrolls beneath them.
				if (one.element.closest("th,.top,.rail") || other.element.closest("th,.top,.rail")) continue;
				const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
				const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
				if (width > slack && height > slack + 1)
					faults.push(`“${one.text}” and “${other.text}” overlap by ${Math.round(width)} × ${Math.round(height)}`);
			}
		}
		return [...new Set(faults)];
	});
}
