import type { Payload } from "../event/types.ts";
import type { DiffSince } from "./diff-since.ts";
import type { Digest, GuardCall, GuardEvent } from "./types.ts";
import { lookOf } from "./verdict.ts";

export interface SeenChange {
	/** What is there now; left out: the file is gone. */
	readonly look?: { readonly digest: Extract<Digest, { readonly kind: "digest" }>; readonly real: string | undefined };
	readonly diff: DiffSince | undefined;
	readonly actor: Payload<"FileChanged">["actor"];
	readonly now: number;
}

/** A change that the guard has found on the disk. Where the old text is not known, neither are its lines. */
export function changeEvent(call: GuardCall, path: string, { look, diff, actor, now }: SeenChange): GuardEvent {
	const payload: Payload<"FileChanged"> = {
		path,
		kind: look ? "edit" : "delete",
		added: diff?.added ?? 0,
		removed: diff?.removed ?? null,
		...(diff?.whole === undefined ? {} : { diff: diff.whole }),
		actor,
		...(look ? lookOf(look.digest, look.real) : {}),
		...(actor === "other" ? {} : { tool: call.tool, callId: call.callId }),
	};
	return { type: "FileChanged", session: call.session, host: call.host, ts: now, payload };
}
