import { createWriteStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeError } from "../../base/file/write-error.ts";
import { type DataLines, LINE_END, type Output } from "./output.ts";

/** Writes lines to stdout, or to a new file that only its owner can read; compressed if its name ends in .gz. */
export async function writeTo(out: Output, file: string | undefined, lines: DataLines): Promise<void> {
	if (file === undefined) return out.dataLines(lines);
	const path = resolve(file);
	if (existsSync(path))
		throw new EngineError("refused", `${path} already exists. Choose another file, or move this one.`);
	const sink = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
	const source = Readable.from(ended(lines));
	try {
		if (path.endsWith(".gz")) await pipeline(source, createGzip(), sink);
		else await pipeline(source, sink);
	} catch (cause) {
		throw cause instanceof EngineError ? cause : writeError(cause, path);
	}
	out.talk(`Written to ${path}`);
}

async function* ended(lines: DataLines): AsyncGenerator<string | Buffer> {
	for await (const line of lines) yield typeof line === "string" ? `${line}\n` : Buffer.concat([line, LINE_END]);
}
