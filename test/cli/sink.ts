import { Writable } from "node:stream";

/** Collects a command's output, as a terminal or a pipe would. */
export class Sink {
	text = "";
	readonly stream: NodeJS.WriteStream;

	constructor(options: { readonly isTTY?: boolean } = {}) {
		const stream = new Writable({
			decodeStrings: false,
			write: (chunk, _encoding, done) => {
				this.text += String(chunk);
				done();
			},
		});
		this.stream = Object.assign(stream, { isTTY: options.isTTY ?? false }) as unknown as NodeJS.WriteStream;
	}
}
