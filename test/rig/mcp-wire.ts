/** `weft mcp` without a client: the messages as they are on the wire. */
import { spawn } from "node:child_process";

export interface McpAnswer {
	readonly id: string | number | null;
	readonly result?: Readonly<Record<string, unknown>>;
	readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly name?: string } };
}

export class McpWire {
	readonly #child;
	readonly #answers: McpAnswer[] = [];
	readonly #closed: Promise<{ code: number | null; err: string }>;
	#rest = "";
	#wake = () => {};

	/** `weft`: the command of weft, without Node. */
	constructor(weft: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
		this.#child = spawn(process.execPath, [...weft, "mcp"], { cwd, env });
		this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
			const lines = (this.#rest + text).split("\n");
			this.#rest = lines.pop() ?? "";
			this.#answers.push(...lines.map((line) => JSON.parse(line) as McpAnswer));
			this.#wake();
		});
		let err = "";
		this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
			err += text;
		});
		this.#closed = new Promise((done) => this.#child.once("close", (code) => done({ code, err })));
	}

	get pid(): number {
		return this.#child.pid ?? 0;
	}

	write(...lines: readonly string[]): void {
		this.#child.stdin.write(lines.join(""));
	}

	send(message: object): void {
		this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	/** The answers so far, once there are so many. */
	async answers(count: number): Promise<readonly McpAnswer[]> {
		while (this.#answers.length < count) {
			await new Promise<void>((wake) => {
				this.#wake = wake;
			});
		}
		return this.#answers;
	}

	end(): Promise<{ code: number | null; err: string }> {
		this.#child.stdin.end();
		return this.#closed;
	}
}
