import { text } from "node:stream/consumers";
import { EngineError } from "../../../base/error/engine-error.ts";
import { type Context, HOST } from "../context.ts";

const MAX_DATA_CHARS = 1_000_000;

export interface LogAddOptions {
	readonly data?: string;
	readonly session?: string;
}

export async function run(context: Context, [name = ""]: readonly string[], options: LogAddOptions): Promise<void> {
	if (name.trim() === "") throw new EngineError("usage", "Give the event a name: weft log add NAME.");
	const data = await readData(options.data);
	const engine = context.openForWriting();
	try {
		const payload = data === undefined ? { name } : { name, data };
		const { seqs } = engine.record([{ type: "Custom", session: options.session ?? HOST, payload }]);
		const seq = seqs[0]!;
		if (context.out.json) return await context.out.document({ seq, id: engine.log.get(seq)?.id });
		await context.out.line(`Event ${seq}: ${name}`);
	} finally {
		engine.close();
	}
}

async function readData(given: string | undefined): Promise<unknown> {
	if (given === undefined) return undefined;
	const json = given === "-" ? await text(process.stdin) : given;
	if (json.length > MAX_DATA_CHARS) {
		throw new EngineError(
			"usage",
			`--data is limited to ${MAX_DATA_CHARS} characters. Keep large things in a file and name its path.`,
		);
	}
	try {
		return JSON.parse(json);
	} catch (error) {
		throw new EngineError(
			"usage",
			`--data must be JSON: ${(error as Error).message}. A text needs quotes: --data '"text"'.`,
		);
	}
}
