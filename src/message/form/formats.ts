import { anthropicFormat } from "./anthropic.ts";
import type { FormatName, WireFormat } from "./format.ts";
import { openaiFormat } from "./openai.ts";
import { piFormat } from "./pi.ts";

const FORMATS: Readonly<Record<FormatName, WireFormat>> = {
	anthropic: anthropicFormat,
	openai: openaiFormat,
	pi: piFormat,
};

export function formatOf(name: FormatName): WireFormat {
	return FORMATS[name];
}
