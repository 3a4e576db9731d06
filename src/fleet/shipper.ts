/**
 * Who shipped something. The server knows the role that logged in, so that is the person. What the machine says of its user and
 * of itself is a claim, shown beside it.
 */
import { oneLine } from "../base/text/printable.ts";

export interface Shipper {
	/** The role that the server knows. */
	readonly person: string;
	/** The user's name, as the machine says. */
	readonly says: string;
	/** Its name, as the machine says. */
	readonly machine: string;
}

/** Columns of a query over `weft.stream s`. */
export const SHIPPER_COLUMNS = "s.role::text AS person, s.person AS says, s.machine";

/** `ann`, or `mal (says ann)`. */
export function renderPerson({ person, says }: Pick<Shipper, "person" | "says">): string {
	return says === person ? oneLine(person) : `${oneLine(person)} (says ${oneLine(says)})`;
}

export function renderShipper(shipper: Shipper): string {
	return `${renderPerson(shipper)} on ${oneLine(shipper.machine)}`;
}
