/** Unpacks the bytes of a compressed request, to read them. The proxy sends the packed bytes on. */
import { promisify } from "node:util";
import zlib from "node:zlib";
import { isTooNested } from "../../base/json/nesting.ts";
import { type JsonObject, parseObject } from "../../base/json/read.ts";

const [gunzip, inflate, brotli, zstd] = [zlib.gunzip, zlib.inflate, zlib.brotliDecompress, zlib.zstdDecompress].map(
	(unpack) => promisify(unpack as typeof zlib.gunzip),
);
const UNPACKERS = new Map([
	["gzip", gunzip],
	["x-gzip", gunzip],
	["deflate", inflate],
	["br", brotli],
	["zstd", zstd],
]);

/** Undefined: the body is no object, or is mostly brackets, which would cost many times its size. */
export function parseBody(bytes: Buffer): JsonObject | undefined {
	return isTooNested(bytes) ? undefined : parseObject(bytes.toString("utf8"));
}

/** A few bytes can unpack to more than memory holds. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

export function isPacked(encoding: string | undefined): boolean {
	const way = (encoding ?? "identity").trim().toLowerCase();
	return way !== "identity" && way !== "";
}

/** Undefined: the encoding is unknown, or the bytes are broken or too large. */
export async function unpackBody(body: Buffer, encoding: string | undefined): Promise<Buffer | undefined> {
	if (encoding === undefined || !isPacked(encoding)) return body;
	try {
		return await UNPACKERS.get(encoding.trim().toLowerCase())?.(body, { maxOutputLength: MAX_UNPACKED_BYTES });
	} catch {
		return undefined;
	}
}
