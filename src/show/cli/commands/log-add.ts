import { text } from "node:stream/consumers";
import { EngineError } from "../../../base/error/engine-error.ts";
import { HOST } from "../context.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

const MAX_DATA_CHARS = 1_000_000;

export function check({ args: [name = ""], options: { data } }: CheckCall<"log add">): void {
	if (name.trim() === "") throw new EngineError("usage", "Give the event a name: weft log add NAME.");
	if (data !== undefined && data !== "-") parseData(data);
}

export async function run({ engine, args: [name = ""], options }: Call<"log add">): Promise<CommandResult> {
	const given = options.data === "-" ? await text(process.stdin) : options.data;
	const payload = given === undefined ? { name } : { name, data: parseData(given) };
	const { seqs } = engine.record([{ type: "Custom", session: options.session ?? HOST, payload }]);
	const [seq = 0] = seqs;
	return { data: { seq, id: engine.log.get(seq)?.id }, lines: () => [`Event ${seq}: ${name}`] };
}

function parseData(json: string): unknown {
	if (json.length > MAX_DATA_CHARS) {
		throw new EngineError(
			"usage",
			`--data is limited to ${MAX_DATA_CHARS} characters. Keep large data in a file and name its path.`,
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
