/** The user's own words in Codex: the program also writes items in the user's role. */
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";

/** Newer items name the kind of each part; older ones are recognised by how they begin. */
export function isUsersOwn(item: JsonObject): boolean {
	const kinds = asList(asObject(item["internal_chat_message_metadata_passthrough"])?.["content_item_kinds"]);
	if (kinds.length > 0) return kinds.some((kind) => /^user\b/.test(asText(kind) ?? ""));
	const first = asText(asObject(asList(item["content"])[0])?.["text"]) ?? "";
	return !NOTICE.test(first.trimStart());
}

const NOTICE =
	/^(?:<(?:environment_context|turn_aborted|subagent_notification|user_instructions|permissions|user_shell_command|skill|collaboration_mode|model_switch)\b|# AGENTS\.md instructions|Another language model started to solve this problem)/;
