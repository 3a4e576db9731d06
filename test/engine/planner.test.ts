/** What each mode sends of a short session. */
import { test } from "node:test";
import { assistant, edit, event, failed, ran, read, user } from "../rig/events.ts";
import { given, inProject } from "../rig/planner-specification.ts";

const TSC_ERROR = "src/cart.ts(7,2): error TS2554: Expected 2 arguments, but got 1.";

/** `role: text` of each message, or the names of its calls. */
const conversation = ({ messages }: { readonly messages: readonly Readonly<Record<string, unknown>>[] }) =>
	messages.map(({ role, content }) => {
		const blocks = typeof content === "string" ? [{ text: content }] : (content as { text?: string; name?: string }[]);
		return `${role}: ${blocks.map(({ text, name }) => text ?? `calls ${name}`).join(" ")}`;
	});

test("off sends the messages as they came", async () => {
	await given(user("Which port?"), read("relay.ts", { shown: "listen(7443)" }), assistant("7443."))
		.when({ mode: "off" }, conversation)
		.then(["user: Which port?", "assistant: calls read", "toolResult: listen(7443)", "assistant: 7443."]);
});

test("woven and lossless send a short session whole, without a seal", async () => {
	for (const mode of ["woven", "lossless"] as const) {
		await given(user("Which port?"), read("relay.ts", { shown: "listen(7443)" }))
			.when({ mode, window: 40_000 }, (request, { log }) => ({
				said: conversation(request),
				reasons: request.reasons,
				violations: request.violations,
				seals: [...log.read({ types: ["Seal"] })].length,
			}))
			.then({
				said: ["user: Which port?", "assistant: calls read", "toolResult: listen(7443)"],
				reasons: [],
				violations: [],
				seals: 0,
			});
	}
});

test("warp opens with the state: an open failure is named until its command is green", async () => {
	const red = [user("Make it compile."), failed("npx tsc --noEmit", TSC_ERROR, 2)];
	const failures = ({ plan }: { readonly plan: { readonly opening?: { readonly text: string } | undefined } }) =>
		/^Open Failures \(\d+\):.*$/m.exec(plan.opening?.text ?? "")?.[0];
	await given(...red)
		.when({ mode: "warp", window: 40_000 }, failures)
		.then("Open Failures (1):");
	const green = [edit("src/cart.ts", "add(a)", "add(a, b)", "Edited."), ran("npx tsc --noEmit", "")];
	await given(...red, ...green)
		.when({ mode: "warp", window: 40_000 }, failures)
		.then(/^Open Failures \(0\):/);
});

test("warp shows a file as it is on disk, not as it was read", async () => {
	await inProject({ files: { "relay.ts": "listen(8080)\n" } })
		.given(user("Which port?"), read("relay.ts", { shown: "listen(7443)\n" }))
		.when({ mode: "warp", window: 40_000 }, ({ plan }) => plan.opening?.text)
		.then(/relay\.ts.*STALE/);
});

test("a session in Anthropic's form goes out in that form: results in the user's messages, one for each call", async () => {
	const line = (entry: string, parent: string | null, role: string, content: unknown) => {
		const raw = { type: role, uuid: entry, parentUuid: parent, message: { role, content } };
		return event("Message", { role, form: "anthropic", ...(parent !== null && { parent }), raw }, { entry });
	};
	const use = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: "date" } });
	const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "today" });
	await given(
		line("1", null, "user", "Twice, please."),
		line("2", "1", "assistant", [use("a")]),
		line("3", "2", "assistant", [use("b")]),
		line("4", "3", "user", [result("a")]),
		line("5", "4", "user", [result("b")]),
	)
		.when({ mode: "off" }, ({ messages, violations }) => ({
			violations,
			blocks: messages.map(({ role, content }) => {
				return [role, JSON.stringify(content).match(/tool_(use|result)"/g)?.length ?? 0];
			}),
		}))
		.then({
			violations: [],
			blocks: [
				["user", 0],
				["assistant", 1],
				["assistant", 1],
				["user", 1],
				["user", 1],
			],
		});
});

test("an empty session is refused by name, and leaves no Request behind", async () => {
	await given()
		.when({ window: 40_000 }, ({ violations }, { log }) => ({
			rules: violations.map(({ rule }) => rule),
			requests: [...log.read({ types: ["Request"] })],
		}))
		.then({ rules: ["no-messages"], requests: [] });
});
