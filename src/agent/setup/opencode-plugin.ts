/**
 * The plugin that opencode loads. It runs in opencode's own process, which is not Node: it only asks a process of weft's, line by
 * line, and where that is silent or gone everything stays as it is.
 */
import type { WeftCommand } from "./setup.ts";

export function opencodePlugin(weft: WeftCommand): string {
	return `// weft in opencode. 'weft init opencode --undo' takes it out.
import { spawn } from "node:child_process";

const COMMAND = ${JSON.stringify([...weft, "hook", "opencode"])};
const WAIT_MS = 15000;

const WeftPlugin = async ({ directory }) => {
	let child, next = 0, rest = "", starts = 0;
	const open = new Map();
	const close = () => { child = undefined; for (const done of open.values()) done(undefined); open.clear(); };
	const start = () => {
		if (child || starts++ > 20) return;
		child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] });
		child.on("error", close);
		child.on("exit", close);
		child.stdin.on("error", () => {});
		child.stdout.on("data", (chunk) => {
			rest += chunk;
			for (let end = rest.indexOf("\\n"); end >= 0; end = rest.indexOf("\\n")) {
				const line = rest.slice(0, end);
				rest = rest.slice(end + 1);
				try { const { id, answer } = JSON.parse(line); open.get(id)?.(answer); open.delete(id); } catch {}
			}
		});
	};
	const ask = (question) => new Promise((done) => {
		try {
			start();
			if (!child) return done(undefined);
			const id = ++next;
			const timer = setTimeout(() => { open.delete(id); done(undefined); }, WAIT_MS);
			open.set(id, (answer) => { clearTimeout(timer); done(answer); });
			child.stdin.write(JSON.stringify({ id, question: { cwd: directory, ...question } }) + "\\n");
		} catch { done(undefined); }
	});
	start();
	const windows = new Map();
	return {
		"chat.params": async (input) => { const limit = input.model?.limit?.context; if (limit) windows.set(input.sessionID, limit); },
		"experimental.chat.messages.transform": async (_input, output) => {
			const { messages } = output;
			const session = messages[0]?.info.sessionID;
			const user = messages.findLast((message) => message.info.role === "user");
			if (!session || !user) return;
			const model = user.info.model?.modelID;
			const answer = await ask({ kind: "request", session, model, window: windows.get(session) });
			const at = answer ? messages.findIndex((message) => message.info.id === answer.from) : -1;
			const first = messages.find((message) => message.info.role === "user");
			const text = first?.parts.find((part) => part.type === "text");
			if (at < 0 || !text) return;
			const seed = { info: first.info, parts: [{ ...text, id: "prt_weft_seed", text: answer.seed, synthetic: true }] };
			const kept = answer.keepsFirst && at > 0 ? 1 : 0;
			messages.splice(kept, at - kept, seed);
		},
		"tool.execute.before": async (input, output) => {
			const answer = await ask({ kind: "before", session: input.sessionID, tool: input.tool, callId: input.callID, args: output.args });
			if (answer?.deny) throw new Error(answer.deny);
		},
		"tool.execute.after": async (input, output) => {
			if (typeof output.output !== "string") return;
			const answer = await ask({ kind: "after", session: input.sessionID, tool: input.tool, callId: input.callID, args: input.args ?? {}, output: output.output, exit: output.metadata?.exit });
			if (typeof answer?.output === "string") output.output = answer.output;
		},
	};
};

export { WeftPlugin };
`;
}
