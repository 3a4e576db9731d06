/** Apart from `handover.ts`, because the list of commands is read at every start and must load nothing else. */

export const HANDOVER_TARGETS = ["claude", "codex", "pi", "opencode", "md"] as const;
export type HandoverTarget = (typeof HANDOVER_TARGETS)[number];

export const DEFAULT_HANDOVER_TOKENS = 9_000;
export const MIN_HANDOVER_TOKENS = 800;
