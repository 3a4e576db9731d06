/** What axe finds in the page, as a browser shows it, that keeps people from using it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface Axe {
	run(options: object): Promise<{
		readonly violations: readonly {
			readonly id: string;
			readonly impact: string;
			readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
		}[];
	}>;
}

/** Evaluates axe through the debugger protocol: the page's content policy would block a script element. */
export async function seriousFaults(page: Page): Promise<string[]> {
	await page.evaluate(AXE);
	return page.evaluate(async () => {
		const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ["violations"] });
		return violations
			.filter(({ impact }) => impact === "serious" || impact === "critical")
			.flatMap(({ id, nodes }) =>
				nodes
					.slice(0, 3)
					.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary.split("\n")[1] ?? ""}`),
			);
	});
}
