// weft in opencode. 'weft init opencode --undo' removes it.
//
// opencode loads this file into its own process, which is not Node. It only asks a process of weft's, line by line. Without
// an answer opencode keeps its own messages and results.
import { spawn } from "node:child_process";

// 'weft init opencode' replaces this line with the command of the weft that it belongs to.
const COMMAND = ["weft", "hook", "opencode"];
const VERSION = undefined;
const WAIT_MS = 15_000;
const MAX_STARTS = 20;

const GONE =
	"weft does not answer, so nothing of this session is recorded or guarded. 'weft doctor' says why; if you removed weft, remove this plugin too.";

/**
 * Asks weft's process and resolves to its answer; undefined when there is none. Starts the process again if it has ended.
 * `onGone`: called once, for a process that ends without an answer.
 */
function connect(directory, onGone) {
	const waiting = new Map();
	let child;
	let starts = 0;
	let next = 0;
	let isKnown = false;
	const parts = [];

	const close = () => {
		child = undefined;
		parts.length = 0;
		if (!isKnown) {
			isKnown = true;
			onGone();
		}
		for (const done of waiting.values()) done(undefined);
		waiting.clear();
	};

	// The parts of a line are joined once: an answer of any size takes linear time.
	const read = (text) => {
		const lines = text.split("\n");
		const last = lines.pop();
		for (const line of lines) {
			try {
				const { id, answer } = JSON.parse(parts.splice(0).join("") + line);
				isKnown = true;
				waiting.get(id)?.(answer);
				waiting.delete(id);
			} catch {}
		}
		if (last !== "") parts.push(last);
	};

	const start = () => {
		if (child || starts++ > MAX_STARTS) return;
		child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] });
		child.on("error", close);
		child.on("exit", close);
		child.stdin.on("error", () => {});
		child.stdout.setEncoding("utf8");
		child.stdout.on("data", read);
	};

	const ask = (question) =>
		new Promise((done) => {
			try {
				start();
				if (!child) return done(undefined);
				const id = ++next;
				const timer = setTimeout(() => {
					waiting.delete(id);
					done(undefined);
				}, WAIT_MS);
				waiting.set(id, (answer) => {
					clearTimeout(timer);
					done(answer);
				});
				child.stdin.write(`${JSON.stringify({ id, question: { cwd: directory, plugin: VERSION, ...question } })}\n`);
			} catch {
				done(undefined);
			}
		});

	start();
	return ask;
}

/** Replaces the messages before `answer.from` by the seed. */
function putSeed(messages, answer) {
	const at = answer ? messages.findIndex((message) => message.info.id === answer.from) : -1;
	const first = messages.find((message) => message.info.role === "user");
	const text = first?.parts.find((part) => part.type === "text");
	if (at < 0 || !text) return;
	const seed = { info: first.info, parts: [{ ...text, id: "prt_weft_seed", text: answer.seed, synthetic: true }] };
	const kept = answer.keepsFirst && at > 0 ? 1 : 0;
	messages.splice(kept, at - kept, seed);
}

/** Puts recalled memory before the user's words, in a copy: opencode keeps the message as it was said. */
function putRecalled(messages, answer) {
	for (const { id, text } of answer?.recalled ?? []) {
		const at = messages.findIndex((message) => message.info.id === id);
		const { info, parts } = messages[at] ?? { parts: [] };
		const first = parts.findIndex((part) => part.type === "text");
		if (first < 0) continue;
		messages[at] = { info, parts: parts.map((part, nth) => (nth === first ? { ...part, text } : part)) };
	}
}

/** Leaves thinking out that the model wrote after other messages, in copies. */
function dropThinking(messages, answer) {
	for (const id of answer?.withoutThinking ?? []) {
		const at = messages.findIndex((message) => message.info.id === id);
		if (at < 0) continue;
		const { info, parts } = messages[at];
		messages[at] = { info, parts: parts.filter((part) => part.type !== "reasoning") };
	}
}

const WeftPlugin = async ({ directory, client }) => {
	const tell = async (message) => {
		try {
			await client?.tui?.showToast?.({ body: { title: "weft", message, variant: "warning" } });
		} catch {}
	};
	let isGone = false;
	const question = connect(directory, () => {
		isGone = true;
	});
	const ask = async (of) => {
		const answer = await question(of);
		if (answer?.notice) await tell(answer.notice);
		// Told with a question: at the start nobody looks at the screen yet.
		if (isGone) {
			isGone = false;
			await tell(GONE);
		}
		return answer;
	};
	const windows = new Map();
	return {
		event: async ({ event }) => {
			const session = event?.properties?.sessionID;
			if (event?.type === "session.idle" && session) await ask({ kind: "idle", session });
		},
		"experimental.session.compacting": async ({ sessionID: session }) => {
			if (session) await ask({ kind: "compacting", session });
		},
		"chat.params": async ({ model, sessionID }) => {
			const limit = model?.limit?.context;
			if (limit) windows.set(sessionID, limit);
		},
		"experimental.chat.messages.transform": async (_input, { messages }) => {
			const session = messages[0]?.info.sessionID;
			const user = messages.findLast((message) => message.info.role === "user");
			if (!session || !user) return;
			const model = user.info.model?.modelID;
			const answer = await ask({ kind: "request", session, model, window: windows.get(session) });
			putRecalled(messages, answer);
			dropThinking(messages, answer);
			putSeed(messages, answer);
		},
		"tool.execute.before": async ({ sessionID: session, tool, callID: callId }, { args }) => {
			const answer = await ask({ kind: "before", session, tool, callId, args });
			if (answer?.deny) throw new Error(answer.deny);
		},
		"tool.execute.after": async ({ sessionID: session, tool, callID: callId, args = {} }, output) => {
			if (typeof output.output !== "string") return;
			const { exit, truncated, outputPath } = output.metadata ?? {};
			const result = { output: output.output, exit, truncated, outputPath };
			const answer = await ask({ kind: "after", session, tool, callId, args, ...result });
			if (typeof answer?.output === "string") output.output = answer.output;
		},
	};
};

export { WeftPlugin };
