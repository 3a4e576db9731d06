/** The maintained rules: secretlint's, which know each provider's format. */
import type { lintSource } from "@secretlint/core";
import type { SecretRange } from "./range.ts";

const RULES = "@secretlint/secretlint-rule-";

type Config = Parameters<typeof lintSource>[0]["options"]["config"];
type Scanner = (text: string) => Promise<SecretRange[]>;

/** Without one of these words AWS's rule for ids finds nothing; it takes as long as all the others together. */
const MAY_HAVE_AWS_ID = /account|A3T|A(?:KI|GP|ID|RO|IP|NP|NV|SI)A/i;

let scanner: Promise<Scanner> | undefined;

/** The rules (about 60 ms) load at the first call. */
export async function knownFormats(text: string): Promise<SecretRange[]> {
	scanner ??= loadScanner();
	return (await scanner)(text);
}

async function loadScanner(): Promise<Scanner> {
	const [{ lintSource }, { rules }] = await Promise.all([
		import("@secretlint/core"),
		import("@secretlint/secretlint-rule-preset-recommend"),
	]);
	const configWith = (aws: { readonly enableIDScanRule: boolean }) =>
		({
			rules: rules
				// A comment in a text must not switch the masking off.
				.filter((rule) => rule.meta.id !== `${RULES}filter-comments`)
				.map((rule) => ({ id: rule.meta.id, rule, options: rule.meta.id === `${RULES}aws` ? aws : {} })),
		}) as Config;
	const [withIds, withoutIds] = [configWith({ enableIDScanRule: true }), configWith({ enableIDScanRule: false })];
	return async (text) => {
		const config = MAY_HAVE_AWS_ID.test(text) ? withIds : withoutIds;
		const source = { content: text, filePath: "text.txt", ext: ".txt", contentType: "text" } as const;
		const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
		return messages.map((message) => secretRange(text, message.range, message.data));
	};
}

/**
 * The position of the credential. The AWS rule reports the start of the assignment with the length of the key, which
 * would leave the key's end visible; `data` has the credential itself.
 */
function secretRange(text: string, range: SecretRange, data: unknown): SecretRange {
	for (const value of Object.values(data ?? {})) {
		if (typeof value !== "string" || value.length < 8) continue;
		const start = text.indexOf(value, range[0]);
		if (start >= range[0] && start <= range[1] && start + value.length > range[1]) return [start, start + value.length];
	}
	return range;
}
