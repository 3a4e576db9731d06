import { linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/** Plain (`a.ts(1,2): error TS…`) and pretty (`a.ts:1:2 - error TS…`). Silence proves nothing: the exit status does. */
export const tsc: Recogniser = {
	tool: "tsc",
	hint: /\b(tsc|tsgo|vue-tsc)\b/,
	sign: /error TS|Found \d/,
	recognise(lines) {
		const errors: UnitError[] = [];
		for (const [i, line] of lines.entries()) {
			const at = line.indexOf("error TS");
			if (at < 0) continue;
			const [, code, text = ""] = /^error (TS\d+): (.*)$/.exec(line.slice(at)) ?? [];
			const place = placeOf(line.slice(0, at));
			if (code === undefined || place === null) continue;
			const more = linesUntil(lines, i + 1, (each) => !/^ {2,}\S/.test(each) || /^\s*\d+ /.test(each)).slice(0, 5);
			const unit = [place, code].filter(Boolean).join(" ");
			errors.push(unitError({ unit, file: place || null, name: code }, [text, ...more], { class: code }));
		}
		const counted = lines.map((line) => /^Found (\d+) errors?/.exec(line)?.[1]).findLast(Boolean);
		if (errors.length === 0 && counted === undefined) return null;
		return recognised("tsc", {
			status: counted === "0" && errors.length === 0 ? "pass" : "fail",
			errors,
			whole: counted !== undefined && Number(counted) === errors.length,
		});
	},
};

/** The file before the error. "": it belongs to no file. null: the compiler did not print this line. */
function placeOf(text: string): string | null {
	if (text.trim() === "") return "";
	return /^\s*(?:\S+: )?(\S.*?)(?:\(\d+,\d+\): |:\d+:\d+ - )$/.exec(text)?.[1] ?? null;
}
