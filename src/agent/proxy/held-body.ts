/** The bytes of a request, in the parts in which they came. They are joined only when the whole is needed. */
import { SignScan } from "./sign-scan.ts";

export class HeldBody {
	#parts: Buffer[];
	bytes = 0;

	constructor(parts: readonly Buffer[] = []) {
		this.#parts = [];
		for (const part of parts) this.add(part);
	}

	add(part: Buffer): void {
		this.#parts.push(part);
		this.bytes += part.length;
	}

	get parts(): readonly Buffer[] {
		return this.#parts;
	}

	whole(): Buffer {
		const [only, ...others] = this.#parts;
		if (only && others.length === 0) return only;
		const whole = Buffer.concat(this.#parts, this.bytes);
		this.#parts = [whole];
		return whole;
	}

	includes(sign: Buffer): boolean {
		const scan = new SignScan([sign]);
		for (const part of this.#parts) scan.take(part);
		return scan.isFound;
	}
}
