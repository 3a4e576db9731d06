/**
 * The patch language: the operations that handlers return and that are stored and replayed. Version 1. The first group
 * has the names of the context-engineering document; the second is ours. Plain JSON, so that a patch survives storage.
 */
import type { EnvelopeOptions, GivenMessage, SystemPart, ToolDefinition } from "../envelope/envelope.ts";

export const PATCH_VERSION = 1;

/** Durable and part of the provider's cache: a change must give a reason. */
interface Cached {
	readonly scope: "cached";
	/** Required, and not blank, unless the operation only appends. */
	readonly invalidateCacheReason?: string;
}

interface Uncached {
	readonly scope: "uncached";
}

type Either = (Cached | Uncached) & { readonly invalidateCacheReason?: string };

export type OptionName = keyof EnvelopeOptions;

export type SystemOp =
	/** Changes the part in place; a new name goes to the end. */
	| (Cached & { readonly op: "system_part_set"; readonly partName: string; readonly text: string })
	| (Cached & { readonly op: "system_part_remove"; readonly partName: string })
	| (Cached & { readonly op: "system_parts_replace"; readonly parts: readonly SystemPart[] });

export type ToolOp =
	| (Cached & { readonly op: "tools_replace"; readonly tools: readonly ToolDefinition[] })
	| (Cached & { readonly op: "tools_remove"; readonly toolNames: readonly string[] });

export type OptionOp = Cached &
	EnvelopeOptions & {
		readonly op: "options_set";
		/** Back to the provider's default. */
		readonly unset?: readonly OptionName[];
	};

export type MessageOp =
	/**
	 * A list that begins with all present messages is an append: no byte already sent changes, so no reason is needed.
	 */
	| (Cached & {
			readonly op: "messages_cached_replace";
			readonly messages: readonly GivenMessage[];
			/**
			 * The messages up to this one stay, and `messages` follow: the stored form, so that a log grows only by new
			 * messages.
			 */
			readonly keepThroughId?: string;
	  })
	| (Uncached & { readonly op: "messages_uncached_append"; readonly messages: readonly GivenMessage[] })
	/** Ours: replaces the uncached messages, so that they never pile up. */
	| (Uncached & { readonly op: "tail_set"; readonly messages: readonly GivenMessage[] })
	/** Ours: removes messages; with a `stub`, one message of that text takes the place of the first. */
	| (Either & { readonly op: "items_drop"; readonly ids: readonly string[]; readonly stub?: string })
	/** Ours: replaces the content of one message. */
	| (Either & { readonly op: "item_replace"; readonly id: string; readonly message: GivenMessage });

/** The agent shows the opening as its own compaction; by default it is a message of the user's role. */
interface Opens {
	readonly role?: "compactionSummary" | undefined;
}

export type EpochOp =
	| (Cached &
			Opens & {
				readonly op: "compaction_apply";
				readonly summary: string;
				/** ms since the epoch, for the summary's message. */
				readonly timestamp: number;
				/** null: nothing is kept. */
				readonly firstKeptMessageId: string | null;
				readonly tokensBefore: number;
			})
	/** From older entries; turned into an id when it is applied. */
	| (Cached &
			Opens & {
				readonly op: "compaction_apply";
				readonly summary: string;
				readonly timestamp: number;
				readonly firstKeptMessageIndex: number;
				readonly tokensBefore: number;
			})
	/** Ours: the messages before `keepFromId` leave, and the seed replaces them. */
	| (Cached &
			Opens & {
				readonly op: "epoch_seal";
				readonly seedText: string;
				readonly timestamp?: number | undefined;
				/** null: nothing is kept. */
				readonly keepFromId: string | null;
				/** If given, exactly these messages must leave: a plan made on another state is refused. */
				readonly droppedIds?: readonly string[] | undefined;
				/** Hash of the state that the seed was rendered from. */
				readonly projectionHash?: string;
				readonly tokensBefore?: number;
				readonly tokensAfter?: number;
			});

export type ContextPatchOp = SystemOp | ToolOp | OptionOp | MessageOp | EpochOp;

export type OpName = ContextPatchOp["op"];

/** True: it changes the system text, the tools or the options, which no seal replaces. */
export function isBeyondMessages(op: string): boolean {
	return /^(?:system_|tools_|options_)/.test(op);
}
