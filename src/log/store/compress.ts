/** Bytes under zstd with its checksum, so that a read notices damage. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** More than a tenth smaller than zstd's own level, for three milliseconds more per pack. */
const CLOSER_LEVEL = 12;
const OPTIONS = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const CLOSER = { params: { ...OPTIONS.params, [constants.ZSTD_c_compressionLevel]: CLOSER_LEVEL } };
/** Byte 4 of a zstd frame describes it; this bit means that its last four bytes are a checksum. */
const DESCRIPTOR = 4;
const HAS_CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
const MAX_CHUNK_BYTES = 64 * 1024 * 1024;

export interface Inflated {
	readonly bytes: Buffer;
	/** True: the checksum fits. False: the bytes are damaged, and the reader must prove what it takes from them. */
	readonly isChecked: boolean;
}

export interface DeflateOptions {
	/** False leaves out the checksum, for bytes that were damaged before: it would make the damage look whole. */
	readonly isChecked?: boolean;
	/** True: smaller and slower. */
	readonly isCloser?: boolean;
}

export function deflate(bytes: Uint8Array, { isChecked = true, isCloser = false }: DeflateOptions = {}): Buffer {
	if (!isChecked) return zstdCompressSync(bytes);
	return zstdCompressSync(bytes, isCloser ? CLOSER : OPTIONS);
}

/**
 * Decompresses at most `size` bytes, because a damaged frame may claim any length. If the checksum does not fit, returns
 * what can still be read, unchecked. Throws if nothing can.
 */
export function inflate(data: Uint8Array, size: number): Inflated {
	const isChecked = ((data[DESCRIPTOR] ?? 0) & HAS_CHECKSUM) !== 0;
	try {
		return { bytes: decompress(data, size), isChecked };
	} catch (error) {
		if (!isChecked) throw error;
		const unchecked = data.slice(0, -CHECKSUM_BYTES);
		unchecked[DESCRIPTOR] = (unchecked[DESCRIPTOR] ?? 0) & ~HAS_CHECKSUM;
		return { bytes: decompress(unchecked, size), isChecked: false };
	}
}

function decompress(data: Uint8Array, size: number): Buffer {
	const chunkSize = Math.min(Math.max(size, 64), MAX_CHUNK_BYTES);
	return zstdDecompressSync(data, { chunkSize, maxOutputLength: Math.max(size, 1) });
}
