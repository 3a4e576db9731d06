/** Lines over requests as an inline SVG: pure text, drawn with the page's own colours. */
import { formatKilo } from "../base/text/number.ts";

export interface Line {
	/** Also its class. */
	readonly name: string;
	/** null: not known; the line has a gap there. */
	readonly values: readonly (number | null)[];
}

const WIDTH = 960;
const HEIGHT = 320;
const LEFT = 52;
const BOTTOM = 26;
const TOP = 8;
const GRID_LINES = 4;

export function drawLines(lines: readonly Line[]): string {
	const count = Math.max(1, ...lines.map(({ values }) => values.length));
	const most = Math.max(
		1,
		...lines.map(({ values }) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)),
	);
	const top = roundUp(most);
	const x = (at: number) => LEFT + (at / Math.max(1, count - 1)) * (WIDTH - LEFT - 8);
	const y = (tokens: number) => TOP + (1 - tokens / top) * (HEIGHT - TOP - BOTTOM);
	const grid = Array.from({ length: GRID_LINES + 1 }, (_, at) => {
		const tokens = (top * at) / GRID_LINES;
		return `<path class="grid" d="M${LEFT} ${y(tokens).toFixed(1)}H${WIDTH - 8}"/><text x="${LEFT - 8}" y="${(y(tokens) + 4).toFixed(1)}" text-anchor="end">${formatKilo(tokens)}</text>`;
	});
	const drawn = lines.map(({ name, values }) => `<path class="line ${name}" d="${pathOf(values, x, y)}"/>`);
	const ends = `<text x="${LEFT}" y="${HEIGHT - 6}">request 0</text><text x="${WIDTH - 8}" y="${HEIGHT - 6}" text-anchor="end">${count - 1}</text>`;
	const label = lines.map(({ name, values }) => `${name} at most ${largest(values)}`).join(", ");
	return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Tokens per request: ${label}">${grid.join("")}${drawn.join("")}${ends}</svg>`;
}

function pathOf(values: readonly (number | null)[], x: (at: number) => number, y: (tokens: number) => number): string {
	let path = "";
	let pen = "M";
	for (const [at, value] of values.entries()) {
		if (value === null) pen = "M";
		else {
			path += `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
			pen = "L";
		}
	}
	return path;
}

function largest(values: readonly (number | null)[]): number {
	return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** To two digits, so that the scale reads well. */
function roundUp(value: number): number {
	const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
	return Math.ceil(value / unit) * unit;
}
