import type { Summariser } from "./summariser.ts";

export interface ModelName {
	readonly provider: string;
	readonly id: string;
}

/**
 * The models that write summaries, in order: those of `compactionModels` that the host can give, then the session's own.
 * After them always comes the deterministic summariser, which is not in the list.
 */
export function summariserChain(
	wanted: readonly ModelName[],
	find: (model: ModelName) => Summariser | undefined,
	session?: Summariser,
): Summariser[] {
	const found = wanted.flatMap((model) => find(model) ?? []);
	const known = new Set(found.map(({ name }) => name));
	return session && !known.has(session.name) ? [...found, session] : found;
}
