/** Events that somebody ships without weft. */
import { fleetHash, type Link } from "../../src/fleet/chain.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { SHIPPED_COLUMNS, SHIPPED_NAMES, type ShippedColumn } from "../../src/fleet/shipped-columns.ts";

/** The next event of a log whose head has this hash. */
export function nextEvent(before: Uint8Array, link: Omit<Link, "proof">): Link & { readonly hash: Buffer } {
	const whole = { ...link, proof: Buffer.alloc(32) };
	return { ...whole, hash: fleetHash(before, whole) };
}

export function takeByHand(
	by: FleetConnection,
	{ project, log, ...fields }: { project: string; log: string } & Partial<Record<ShippedColumn, unknown>>,
): Promise<unknown> {
	const arrays = SHIPPED_NAMES.map((name, at) => `ARRAY[$${at + 3}::${SHIPPED_COLUMNS[name]}]`);
	const values = SHIPPED_NAMES.map((name) => fields[name] ?? null);
	return by.query(`SELECT weft.take($1, $2, ${arrays.join(", ")})`, [project, log, ...values]);
}
