import type { Vitals } from "../../../../view/vitals.ts";
import type { PageAddress } from "../address.ts";

export interface PageProps {
	readonly address: PageAddress;
	readonly vitals: Vitals | undefined;
}
