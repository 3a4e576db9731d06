/** Failures that earlier sessions resolved, each with its fix. */

import { cutStart } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import type { Log } from "../../../log/log.ts";
import type { Failure } from "../../work/failure/types.ts";
import type { SessionName } from "../memory-file.ts";
import type { RecallItem } from "./item.ts";

const MESSAGE_CHARS = 400;
const COMMAND_CHARS = 160;
const MAX_CHANGES = 200;
const MAX_FILES = 5;

export function resolvedItems(
	log: Log,
	resolved: readonly Failure[],
	session: SessionName | undefined,
): readonly RecallItem[] {
	return resolved.flatMap((failure) => {
		const { resolvedSeq } = failure;
		const record = resolvedSeq === null ? undefined : log.get(resolvedSeq);
		// The session's own failures are in its history.
		if (resolvedSeq === null || record?.session === session?.session) return [];
		return [itemOf(log, failure, resolvedSeq)];
	});
}

function itemOf(log: Log, failure: Failure, resolvedSeq: number): RecallItem {
	const files = changedBetween(log, failure.lastSeq, resolvedSeq);
	const place = [failure.file, failure.name].filter((each) => each !== null).join(" ");
	const fix =
		files.length === 0
			? "Resolved without a change of a file that was seen."
			: `Resolved by changes in ${files.join(", ")}.`;
	const look = [failure.lastHandle, failure.resolvedHandle].filter((each) => each !== null).join(", then ");
	return {
		id: failure.resolvedHandle ?? failure.lastHandle,
		text: [
			`${cutStart(oneLine(failure.command), COMMAND_CHARS)} failed${place === "" ? "" : ` in ${place}`}: ${cutStart(oneLine(failure.message), MESSAGE_CHARS)}`,
			`${fix} The runs: ${look}.`,
		].join("\n"),
		heading: "Resolved failures",
		source: "history",
		kind: "error",
		date: failure.resolvedTs ?? undefined,
		paths: failure.file === null ? files : [...new Set([failure.file, ...files])],
	};
}

function changedBetween(log: Log, after: number, upTo: number): readonly string[] {
	const files = new Set<string>();
	for (const { payload } of log.read({ types: ["FileChanged"], after, upTo, limit: MAX_CHANGES })) {
		const { path } = payload as { readonly path?: unknown };
		if (typeof path === "string") files.add(path);
	}
	return [...files].slice(0, MAX_FILES);
}
