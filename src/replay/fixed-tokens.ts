import { Walk } from "./path.ts";
import { sumTokens } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

const UNKNOWN_FIXED_TOKENS = 3_000;

/** The system prompt and the tools: the first recorded prompt less its messages; 3,000 where the recording does not tell. */
export function fixedTokens(calls: readonly RecordedCall[]): number {
	const walk = new Walk();
	for (const call of calls) {
		const { messages } = walk.moveTo(call);
		const { input = 0, cacheRead = 0, cacheWrite = 0 } = call.answer.usage ?? {};
		const prompt = input + cacheRead + cacheWrite;
		if (prompt === 0) continue;
		const rest = prompt - sumTokens(messages);
		return rest > 0 ? rest : UNKNOWN_FIXED_TOKENS;
	}
	return UNKNOWN_FIXED_TOKENS;
}
