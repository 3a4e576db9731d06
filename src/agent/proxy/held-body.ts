/** The bytes of a request, in the parts in which they came. They are put together only where somebody asks for all of them. */
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
		if (this.#parts.length !== 1) this.#parts = [Buffer.concat(this.#parts, this.bytes)];
		return this.#parts[0]!;
	}

	includes(sign: Buffer): boolean {
		const scan = new SignScan([sign]);
		for (const part of this.#parts) scan.take(part);
		return scan.isFound;
	}
}
