/** The repository of the demonstration: a parcel service with two faults, and tables that are long enough to fill a context. */
import type { ProjectFiles } from "../../test/rig/workspace.ts";

const DEPOTS = 330;
const ZONES = 7;
const WEIGHTS = 60;

export const REPOSITORY: ProjectFiles = {
	"package.json": `${JSON.stringify({ name: "parcels", private: true, type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
	"README.md": "# parcels\n\nWhat it costs to send a parcel to a depot, and when it is there. Prices are in cents.\n",
	"src/quote.js": `import { isClosed } from "./calendar.js";
import { priceOf } from "./tariff.js";
import { zoneOf } from "./zones.js";

/** Price in cents and day of delivery. */
export function quote({ depot, grams, day }) {
	const kilograms = Math.floor(grams / 1000);
	const price = priceOf(zoneOf(depot), kilograms);
	return { price, day: isClosed(depot, day) ? day + 1 : day };
}
`,
	"src/zones.js": zones(),
	"src/tariff.js": tariff(),
	"src/calendar.js": calendar(),
	"test/quote.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { quote } from "../src/quote.js";

test("a started kilogram counts as a whole one", () => {
	assert.equal(quote({ depot: "D-004", grams: 2300, day: 11 }).price, 940);
});

test("a depot that is closed delivers a day later", () => {
	assert.equal(quote({ depot: "D-007", grams: 1000, day: 15 }).day, 16);
});

test("an open depot delivers on the day", () => {
	assert.equal(quote({ depot: "D-007", grams: 1000, day: 14 }).day, 14);
});
`,
};

function zones(): string {
	const rows = numbers(DEPOTS).map(
		(n) =>
			`\t["${depot(n)}", { zone: ${1 + (n % ZONES)}, kilometres: ${40 + ((n * 37) % 900)}, by: "${n % 3 === 0 ? "rail" : "road"}", opens: ${6 + (n % 4)} }],`,
	);
	return `/** Which zone a depot is in, and how far it is away. */
const DEPOTS = new Map([
${rows.join("\n")}
]);

export function zoneOf(depot) {
	const known = DEPOTS.get(depot);
	if (!known) throw new Error(\`there is no depot \${depot}\`);
	return known.zone;
}
`;
}

function tariff(): string {
	const rows = numbers(WEIGHTS).flatMap((kilograms) =>
		numbers(ZONES).map(
			(zone) =>
				`\t{ zone: ${zone}, upTo: ${kilograms}, cents: ${340 + zone * 60 + (kilograms - 1) * 150}, insured: ${100 + zone * 5} },`,
		),
	);
	return `/** Prices by zone and by the most kilograms that they hold for. */
const PRICES = [
${rows.join("\n")}
];

export function priceOf(zone, kilograms) {
	const row = PRICES.find((each) => each.zone === zone && each.upTo >= Math.max(1, kilograms));
	if (!row) throw new Error(\`zone \${zone} takes no parcel of \${kilograms} kg\`);
	return row.cents;
}
`;
}

function calendar(): string {
	const rows = numbers(DEPOTS).map(
		(n) => `\t["${depot(n)}", [${[n % 28, (n * 3) % 28, (n * 2) % 28].map((day) => day + 1).join(", ")}]],`,
	);
	return `/** The days of a month on which a depot is closed, counted from 1. */
const CLOSED = new Map([
${rows.join("\n")}
]);

export function isClosed(depot, day) {
	return (CLOSED.get(depot) ?? []).includes(day - 1);
}
`;
}

function depot(n: number): string {
	return `D-${String(n).padStart(3, "0")}`;
}

function numbers(count: number): number[] {
	return Array.from({ length: count }, (_, at) => at + 1);
}
