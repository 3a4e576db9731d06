/**
 * Runs the attacks for as long as you like: `npm run attack -- --minutes 30`. Repeats `test/attack/`, each time with another
 * seed, until the time is up or one fails, and adds up their counts.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
	console.error(`--minutes takes a number above 0, not '${values.minutes}'.`);
	process.exit(2);
}
const files = globSync("test/attack/*.attack.ts").sort();
const end = Date.now() + minutes * 60_000;
const totals = new Map<string, Map<string, number>>();
let runs = 0;
let failed = 0;
while (Date.now() < end && failed === 0) failed = await runOnce(++runs);
for (const [attack, counts] of totals) {
	console.log(`total: ${attack}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(", ")}`);
}
console.log(failed === 0 ? `${runs} runs, and all held.` : `Run ${runs} failed. WEFT_ATTACK_SEED=${runs} repeats it.`);
process.exitCode = failed === 0 ? 0 : 1;

function runOnce(seed: number): Promise<number> {
	const args = ["--test", "--test-concurrency=1", ...files];
	const env = { ...process.env, WEFT_ATTACK_SEED: String(seed) };
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
	let text = "";
	child.stdout.on("data", (chunk) => {
		text += chunk;
	});
	return new Promise((resolve) => {
		child.on("close", (code) => {
			for (const [, attack = "", counts = ""] of text.matchAll(/^attack: ([^:]+): (.+)$/gm)) add(attack, counts);
			if (code !== 0) console.log(text);
			resolve(code ?? 1);
		});
	});
}

function add(attack: string, counts: string): void {
	console.log(`attack: ${attack}: ${counts}`);
	const sums = totals.get(attack) ?? new Map<string, number>();
	for (const [, count, what = ""] of counts.matchAll(/(\d+) ([^,]+)/g)) {
		sums.set(what, (sums.get(what) ?? 0) + Number(count));
	}
	totals.set(attack, sums);
}
