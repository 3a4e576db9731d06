import { type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/** Compiler errors: cargo build, check, clippy, and a test run that does not compile. */
export const rustc: Recogniser = {
	tool: "rustc",
	hint: /\bcargo (b|build|c|check|clippy|run)\b|\brustc\b/,
	sign: /--> |error: (?:could not compile|aborting due)/,
	recognise(lines) {
		const errors: UnitError[] = [];
		for (const [i, line] of lines.entries()) {
			const [, code, text] = /^error(?:\[(\w+)\])?: (.+)$/.exec(line) ?? [];
			if (text === undefined || SUMMARY.test(text)) continue;
			const place =
				lines
					.slice(i + 1, i + 6)
					.map((next) => /^\s*--> (\S.*?):\d+:\d+$/.exec(next)?.[1])
					.find(Boolean) ?? null;
			if (place === null) continue;
			const unit = [place, code].filter(Boolean).join(" ");
			const label = lines
				.slice(i + 1, i + 12)
				.map((next) => /^\s*\|\s+(?:\||_)*[\s|_]*[\^-]+ (.+)$/.exec(next)?.[1])
				.find(Boolean);
			const key = [text, ...(label === undefined ? [] : [label])];
			errors.push(unitError({ unit, file: place, name: code ?? null }, key, { class: code ?? null, key }));
		}
		const gaveUp = lines.some(
			(line) => /^error: could not compile `/.test(line) || /^error: aborting due to \d* ?previous/.test(line),
		);
		if (errors.length === 0 && !gaveUp) return null;
		return recognised("rustc", { status: "fail", errors });
	},
};

const SUMMARY = /^(could not compile|aborting due to|test failed|build failed|process didn't exit|\d+ targets? failed)/;
