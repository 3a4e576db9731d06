import { History } from "../../history/history.ts";
import type { Node } from "../../history/types.ts";
import { oneLine } from "../../text/printable.ts";
import { coverageLine, dagLines, historyReport } from "../../view/history.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { pickSession } from "../pick-session.ts";

export interface TreeOptions {
	readonly session?: string;
	readonly levels?: string;
}

const ALL_LEVELS = 99;

export async function run(context: Context, _args: readonly string[], options: TreeOptions): Promise<void> {
	const levels = wholeNumber("--levels", options.levels) ?? ALL_LEVELS;
	const { out } = context;
	const engine = context.openExisting();
	try {
		const history = new History(engine.log);
		const session = pickSession(engine.log, options.session);
		const path = history.path(session);
		const report = historyReport(history, session);
		if (out.json) {
			return await out.document({ ...report, nodes: path.nodes.map((node) => nested(history, node, levels)) });
		}
		await out.line(`${oneLine(session.session)}: ${coverageLine(report)}`);
		await out.lines([...dagLines(history, path, levels)].map(oneLineKept));
	} finally {
		engine.close();
	}
}

/** Topics are what somebody said: harmless on a terminal, and the branches in front of them stay. */
function oneLineKept(line: string): string {
	const lead = /^[│├└─ ]*/u.exec(line)![0];
	return lead + oneLine(line.slice(lead.length));
}

function nested(history: History, node: Node, levels: number): object {
	const { id, depth, first, last, messages, messageTokens, tokens, topic, model, seq } = node;
	const children = levels > 0 ? history.children(node).map((child) => nested(history, child, levels - 1)) : [];
	return { id, depth, first, last, messages, messageTokens, tokens, topic, model, seq, children };
}
