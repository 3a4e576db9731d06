/** Runs command lines one after the other in one process, as `weft` would, and prints what each answered and said as JSON. */
import { silenceSqliteWarning } from "../../src/show/cli/node-process.ts";
import { run } from "../../src/show/cli/run.ts";

export interface Said {
	readonly status: number | null;
	readonly said: string;
}

silenceSqliteWarning(process);
const tell = process.stdout.write.bind(process.stdout);
let said = "";
const listen = (piece: string | Uint8Array, ...rest: unknown[]): boolean => {
	said += typeof piece === "string" ? piece : Buffer.from(piece).toString();
	const done = rest.at(-1);
	if (typeof done === "function") process.nextTick(done as () => void);
	return true;
};
process.stdout.write = listen;
process.stderr.write = listen;
const answers: Said[] = [];
for (const args of JSON.parse(process.argv[2] ?? "[]") as string[][]) {
	said = "";
	const status = await run(args);
	answers.push({ status, said });
}
tell(JSON.stringify(answers));
