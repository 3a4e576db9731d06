/** What is lost, in a sentence: which events or blobs, why, and where a copy may be. */
import type { Loss } from "../types.ts";

const MAX_NAMED = 5;

/** Undefined: nothing is lost. */
export function lossNotice(losses: readonly Loss[]): string | undefined {
	if (losses.length === 0) return undefined;
	const events = losses.filter(({ seq }) => seq !== undefined).sort((one, other) => one.seq! - other.seq!);
	const blobs = losses.filter(({ blob }) => blob !== undefined);
	const parts = [
		...(events.length > 0 ? [`${count(events.length, "event")} (${named(events.map(({ seq }) => `${seq}`))})`] : []),
		...(blobs.length > 0
			? [`${count(blobs.length, "blob")} (${named(blobs.map(({ blob }) => blob!.slice(0, 12)))})`]
			: []),
	];
	const hosts = [...new Set(events.map(({ host }) => host!))].sort();
	const files = hosts.length === 0 ? "" : `in the session files of ${hosts.join(" and ")}, `;
	return [
		`${parts.join(" and ")} cannot be read. ${capital(whyOf(losses[0]!))}.`,
		"Nothing else is affected.",
		`A copy may be ${files}in an archive or an export, or on another machine: 'weft repair' looks for it.`,
	].join(" ");
}

function whyOf({ seq, blob, why }: Loss): string {
	return seq === undefined ? `blob ${blob!.slice(0, 12)} ${why}` : `event ${seq} ${why}`;
}

function named(names: readonly string[]): string {
	const more = names.length - MAX_NAMED;
	return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function count(n: number, noun: string): string {
	return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function capital(text: string): string {
	return text.slice(0, 1).toUpperCase() + text.slice(1);
}
