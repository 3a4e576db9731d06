/** The log's knowledge by URI: the state of the work, requests, summaries and files, in the words of our commands. */

import { EngineError } from "../../base/error/engine-error.ts";
import { formatCount } from "../../base/text/bytes.ts";
import { formatTime } from "../../base/text/time.ts";
import type { Engine } from "../../engine.ts";
import { lcmDescribe } from "../../tool/describe.ts";
import { readFileStory, renderFileStory } from "../../view/file-story.ts";
import { requestMarkdown } from "../../view/request.ts";
import { SessionRequests } from "../../view/requests.ts";
import { renderState, viewState } from "../../view/state.ts";
import { PLAIN } from "../../view/text-style.ts";
import type { SessionChoice } from "./session-choice.ts";

const MAX_REQUESTS = 200;

/** Throws for an unknown URI. */
export async function readResource(engine: Engine, { ref }: SessionChoice, uri: string, now: number): Promise<string> {
	const [, kind = "", rest = ""] = /^weft:\/\/([a-z]+)(?:\/(.*))?$/.exec(uri) ?? [];
	const name = decode(rest);
	const context = { history: engine.history, session: ref, scope: engine.scope(ref), now };
	switch (kind) {
		case "state": {
			const all = "weft state --json";
			return [...renderState(viewState(engine.stateFor(ref), ref.session), PLAIN, { now, all })].join("\n");
		}
		case "requests":
			return listRequests(new SessionRequests(engine.history, ref));
		case "request":
			if (!/^\d+$/.test(name))
				throw new EngineError(
					"not-found",
					`'${name.slice(0, 80)}' is not the number of a request. weft://requests lists them.`,
				);
			return requestMarkdown(engine, new SessionRequests(engine.history, ref), ref, Number(name));
		case "nodes":
			return (await lcmDescribe.run(context, { section: "overview" })).text;
		case "node": {
			const { text, isError } = await lcmDescribe.run(context, { section: "by_id", summary_id: name });
			if (isError) throw new EngineError("not-found", text);
			return text;
		}
		case "file":
			return renderFileStory(await readFileStory(engine, name, engine.project.root), PLAIN).join("\n");
		default:
			throw new EngineError(
				"not-found",
				`There is nothing at ${uri.slice(0, 200)}. List the resources to see what is.`,
			);
	}
}

function listRequests(requests: SessionRequests): string {
	const rows = requests.rows();
	if (rows.length === 0) return "No request of this session is recorded yet.";
	const lines = rows.slice(-MAX_REQUESTS).map(({ n, ts, tokens, model, seal, reasons }) => {
		const why = seal ? `, after a seal (${seal.why})` : reasons.length > 0 ? `, ${reasons.join(", ")}` : "";
		return `${n}  ${formatTime(ts)}  ${formatCount(tokens)} tokens  ${model ?? ""}${why}`.trimEnd();
	});
	const left = rows.length - lines.length;
	return [...(left > 0 ? [`${formatCount(left)} older ones are not listed.`] : []), ...lines].join("\n");
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
