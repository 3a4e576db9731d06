import type { Vitals } from "../../../../view/vitals.ts";
import type { Place } from "../address.ts";

export interface PageProps {
	readonly place: Place;
	readonly vitals: Vitals | undefined;
}
