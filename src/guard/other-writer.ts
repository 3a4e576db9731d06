/**
 * Has somebody else written the file between the check of a call and its end? A file that was written must be what the
 * call said; an edited one, with the edit taken back, must be what the model knew. Where neither can be computed, nothing
 * is said.
 */
import { applyPatch, reversePatch } from "diff";
import { sha256 } from "../hash/sha256.ts";
import { asObject, asText } from "../json/read.ts";
import type { ResultBlock } from "../message/view.ts";
import type { Change } from "../session/derive-change.ts";
import type { Target } from "./call-path.ts";
import { diffSince } from "./diff-since.ts";
import type { FileRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { plainText } from "./line-ends.ts";
import type { Digest, GuardCall } from "./types.ts";

export interface Written {
	readonly call: GuardCall;
	readonly change: Change;
	readonly result: ResultBlock;
	/** What was known before the call. */
	readonly record: FileRecord | undefined;
	readonly target: Target;
	readonly digest: Extract<Digest, { readonly kind: "digest" }>;
}

export function otherWriter(written: Written, world: World): string | undefined {
	return written.change.kind === "write" ? rewritten(written) : editedBeside(written, world);
}

function rewritten({ call, target, digest }: Written): string | undefined {
	const content = asText(call.input["content"]);
	if (content === undefined || sha256(content) === digest.hash) return undefined;
	if (sha256(plainText(content)) === digest.textHash) return undefined;
	return `${target.path} is not what this call wrote: a formatter, or somebody else, has written it since. Read it again before you edit it.`;
}

function editedBeside({ call, change, result, record, target }: Written, world: World): string | undefined {
	// Passed although it had changed, and the model was told so already.
	const warned = world.state.verdicts.recent.some(({ callId, rule }) => callId === call.callId && rule === "unchanged");
	if (!record?.hash || warned || !change.hunks || !saysWhere(result)) return undefined;
	const content = world.files.read(target.absolute);
	if (content.kind !== "bytes") return undefined;
	const before = takenBack(plainText(content.bytes.toString("utf8")), change);
	if (before === undefined || sha256(before) === (record.textHash ?? record.hash)) return undefined;
	const base = world.base?.(record, call);
	const diff = base && diffSince(target.path, base, before);
	const size = diff ? ` (+${diff.added}/−${diff.removed})` : "";
	return `While this call ran, somebody else changed ${target.path} too${size}. Read it again before you edit it.`;
}

/** Hunks made from the arguments alone have no line numbers of the real file. */
function saysWhere(result: ResultBlock): boolean {
	const details = asObject(result.details);
	return ["patch", "diff", "structuredPatch", "originalFile"].some((key) => details?.[key] !== undefined);
}

function takenBack(text: string, change: Change): string | undefined {
	try {
		const patch = {
			oldFileName: "",
			newFileName: "",
			oldHeader: undefined,
			newHeader: undefined,
			hunks: [...change.hunks!],
		};
		const before = applyPatch(text, reversePatch(patch));
		return before === false ? undefined : before;
	} catch {
		return undefined;
	}
}
