/** A small session in Pi's format: a request, a read, an edit, a command that fails, an answer in Japanese. */
export const SESSION = "0199c0de-0000-7000-8000-00000000abcd";

// Joined at run time, so that no scanner takes this file for a leak.
export const TOKEN = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");

export function session(cwd: string, id = SESSION): object[] {
	return [
		{ type: "session", version: 3, id, timestamp: time(0), cwd },
		message(1, {
			role: "user",
			content: [{ type: "text", text: `Make parseHeader accept tabs.\nThe token is ${TOKEN}.` }],
		}),
		message(2, assistant("I look first.", call("c1", "read", { path: "src/header.ts" }))),
		message(3, result("c1", "read", "export function parseHeader(line: string) {\n\treturn line.split(' ');\n}\n")),
		message(4, assistant("", call("c2", "edit", { path: "src/header.ts", oldText: "' '", newText: "/[ \\t]/" }))),
		message(5, result("c2", "edit", "Successfully replaced text in src/header.ts.")),
		message(6, assistant("", call("c3", "bash", { command: "npm test" }))),
		message(7, result("c3", "bash", "1 failing\n\nCommand exited with code 1", true)),
		message(8, assistant("ヘッダーの解析を直しました。テストは一つ失敗しています。")),
	];
}

function time(step: number): string {
	return new Date(Date.UTC(2026, 0, 5, 10, 0, step)).toISOString();
}

function message(step: number, of: object): object {
	const parentId = step === 1 ? null : `e${step - 1}`;
	return { type: "message", id: `e${step}`, parentId, timestamp: time(step), message: of };
}

function assistant(text: string, ...calls: object[]): object {
	const texts = text === "" ? [] : [{ type: "text", text }];
	return { role: "assistant", content: [...texts, ...calls], provider: "test", model: "scripted", stopReason: "stop" };
}

function call(id: string, name: string, args: object): object {
	return { type: "toolCall", id, name, arguments: args };
}

function result(toolCallId: string, toolName: string, text: string, isError = false): object {
	return { role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError };
}
