/** Losses in a few sentences: which events or blobs, why, and where a copy may be. */

import type { WalDamage } from "../../base/sqlite/wal-damage.ts";
import { formatCount, plural } from "../../base/text/bytes.ts";
import type { Loss } from "../types.ts";

const MAX_NAMED = 5;
const BLOB_DIGITS = 12;

/** Undefined: nothing is lost. */
export function lossNotice(losses: readonly Loss[]): string | undefined {
	const [first] = losses;
	if (!first) return undefined;
	const events = losses.flatMap(({ seq, host }) => (seq === undefined ? [] : [{ seq, host }]));
	const blobs = losses.flatMap(({ blob }) => (blob === undefined ? [] : [blob.slice(0, BLOB_DIGITS)]));
	const seqs = events.map(({ seq }) => seq).sort((one, other) => one - other);
	const parts = [
		...(events.length > 0 ? [`${plural(events.length, "event")} (${named(seqs.map(String))})`] : []),
		...(blobs.length > 0 ? [`${plural(blobs.length, "blob")} (${named(blobs)})`] : []),
	];
	const hosts = [...new Set(events.flatMap(({ host }) => host ?? []))].sort();
	const files = hosts.length === 0 ? "" : `in the session files of ${hosts.join(" and ")}, `;
	return [
		`${parts.join(" and ")} cannot be read. ${capital(whyOf(first))}.`,
		"Nothing else is affected.",
		`A copy may be ${files}in an archive or an export, or on another machine: 'weft repair' looks for it.`,
	].join(" ");
}

/** The newest commits, which no event names: they left no trace but this. */
export function walNotice({ byte, commits }: WalDamage): string {
	const newest = commits === 1 ? "the newest commit is" : `up to ${plural(commits, "commit")}, the newest ones, are`;
	return [
		`log.db-wal is damaged from byte ${formatCount(byte)} on: ${newest} missing from the log.`,
		"The agents' session files still have them: 'weft import' adds what is missing.",
	].join(" ");
}

function whyOf({ seq, blob, why }: Loss): string {
	return seq === undefined ? `blob ${blob?.slice(0, BLOB_DIGITS)} ${why}` : `event ${seq} ${why}`;
}

function named(names: readonly string[]): string {
	const more = names.length - MAX_NAMED;
	return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function capital(text: string): string {
	return text.slice(0, 1).toUpperCase() + text.slice(1);
}
