import { setFlagsFromString } from "node:v8";

/**
 * While much is read, little of it stays. V8 would let its space for new objects grow, and what is old pile up to four times
 * what is needed before it clears it away: more than half of the memory. To clear it sooner costs some time. `growth`: percent.
 */
export function keepHeapSmall({ growth = 60 }: { readonly growth?: number | undefined } = {}): void {
	setFlagsFromString("--semi-space-growth-factor=1");
	setFlagsFromString(`--heap-growing-percent=${growth}`);
}
