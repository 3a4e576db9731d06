/** The JSON of a request, whichever way its bytes are packed. They are looked at here; what is sent on are the bytes. */
import { promisify } from "node:util";
import zlib from "node:zlib";

const [gunzip, inflate, brotli, zstd] = [zlib.gunzip, zlib.inflate, zlib.brotliDecompress, zlib.zstdDecompress].map(
	(unpack) => promisify(unpack as typeof zlib.gunzip),
);
const WAYS = new Map([
	["gzip", gunzip],
	["x-gzip", gunzip],
	["deflate", inflate],
	["br", brotli],
	["zstd", zstd],
]);

/** A few bytes can unpack to more than memory holds. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

export function isPacked(encoding: string | undefined): boolean {
	const way = (encoding ?? "identity").trim().toLowerCase();
	return way !== "identity" && way !== "";
}

/** Undefined: packed in a way that is not known, broken, or too large. */
export async function unpackBody(
	body: Buffer,
	encoding: string | undefined,
	most = MAX_UNPACKED_BYTES,
): Promise<Buffer | undefined> {
	if (encoding === undefined || !isPacked(encoding)) return body;
	try {
		return await WAYS.get(encoding.trim().toLowerCase())?.(body, { maxOutputLength: most });
	} catch {
		return undefined;
	}
}
