/** The tool `apply_patch` in small: files that are added, and hunks of whole lines. */
import { readFileSync, writeFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";

export interface PatchedFile {
	readonly path: string;
	readonly kind: "add" | "update";
	readonly noted: object;
}

/** Throws where the lines of a hunk are not in the file. */
export function applyPatch(patch: string, resolve: (path: string) => string): PatchedFile[] {
	const parts = patch.split(/^\*\*\* (?=Add File|Update File)/m).slice(1);
	return parts.map((part): PatchedFile => {
		const [head = "", ...lines] = part.replace(/\*\*\* End Patch\s*$/, "").split("\n");
		const path = resolve(head.replace(/^\w+ File: /, ""));
		if (head.startsWith("Add")) {
			const content = `${lines
				.filter((line) => line.startsWith("+"))
				.map((line) => line.slice(1))
				.join("\n")}\n`;
			writeFileSync(path, content);
			return { path, kind: "add", noted: { type: "add", content } };
		}
		const text = readFileSync(path, "utf8");
		let now = text.split("\n");
		if (now.at(-1) === "") now.pop();
		for (const hunk of lines
			.join("\n")
			.split(/^@@.*\n/m)
			.slice(1)) {
			const body = hunk.replace(/\n$/, "").split("\n");
			const side = (mark: string) =>
				body.flatMap((line) => (line[0] === mark || line[0] === " " ? [line.slice(1)] : []));
			const old = side("-");
			// Lines that stay keep their ends.
			const at = now.findIndex((_, from) => old.every((line, nth) => now[from + nth]?.replace(/\r$/, "") === line));
			if (at < 0) throw new Error(`Failed to find expected lines in ${path}`);
			const end = now[at]?.endsWith("\r") ? "\r" : "";
			now = [...now.slice(0, at), ...side("+").map((line) => `${line}${end}`), ...now.slice(at + old.length)];
		}
		const next = `${now.join("\n")}\n`;
		writeFileSync(path, next);
		const unified_diff = createTwoFilesPatch(path, path, text, next).split("\n").slice(4).join("\n");
		return { path, kind: "update", noted: { type: "update", unified_diff } };
	});
}
