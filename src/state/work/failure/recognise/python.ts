import {
	countOf,
	isShortened,
	MAX_ERRORS,
	type Recogniser,
	recognised,
	splitClass,
	type UnitError,
	unitError,
} from "./types.ts";

/** Sections have the messages, the short summary has the full names. Either may be cut off. */
export const pytest: Recogniser = {
	tool: "pytest",
	hint: /\b(pytest|tox|nox)\b/,
	sign: /__ | in \d|\.py|test session starts/,
	recognise(lines) {
		const report = readReport(lines);
		if (
			report.summary === null &&
			report.listed.length === 0 &&
			report.sections.length === 0 &&
			report.passed.size === 0
		) {
			// A test that ends the program takes the summary with it, whatever the exit status.
			return report.began && !isShortened(lines) ? recognised("pytest", { status: "unknown" }) : null;
		}
		const errors = report.listed.length > 0 ? fromSummary(report) : report.sections.map(fromSection);
		const bad = report.summary === null ? 0 : countOf(report.summary, "failed") + countOf(report.summary, "errors?");
		const failed = bad > 0 || errors.length > 0;
		const good = report.summary === null ? null : countOf(report.summary, "passed");
		return recognised("pytest", {
			status: failed ? "fail" : (good ?? 0) > 0 ? "pass" : "unknown",
			errors,
			passed: good,
			passedNames: report.passed,
			skipped: countOf(report.summary ?? "", "skipped") + countOf(report.summary ?? "", "xfailed"),
			skippedNames: report.skipped,
			whole: report.summary !== null && !report.stopped && bad === errors.length,
		});
	},
};

interface PytestSection {
	readonly title: string;
	readonly message: string[];
	file: string | null;
	class: string | null;
}

interface Report {
	readonly sections: PytestSection[];
	readonly listed: { readonly unit: string; readonly text: string }[];
	readonly passed: Set<string>;
	readonly skipped: string[];
	began: boolean;
	summary: string | null;
	stopped: boolean;
}

function readReport(lines: readonly string[]): Report {
	const report: Report = {
		...{ sections: [], listed: [], passed: new Set(), skipped: [] },
		...{ began: false, summary: null, stopped: false },
	};
	let section: PytestSection | null = null;
	for (const line of lines) {
		const title = /^_{2,} (.+) _{2,}$/.exec(line)?.[1];
		if (title !== undefined && report.sections.length < MAX_ERRORS) {
			section = { title, message: [], file: /^ERROR collecting (\S+)/.exec(title)?.[1] ?? null, class: null };
			report.sections.push(section);
			continue;
		}
		if (/^=+ .+ =+$/.test(line)) section = null;
		if (/^=+ test session starts =+$/.test(line)) report.began = true;
		if (/^!+ .*(Interrupted|stopping after).* !+$/.test(line)) report.stopped = true;
		const bare = line.replace(/^=+ /, "").replace(/ =+$/, "");
		if (/^\d+ [a-z]+(?:, \d+ [a-z]+)* in \d/.test(bare) || /^no tests (ran|collected) in \d/.test(bare))
			report.summary = bare;
		const listed = /^(?:FAILED|ERROR) (\S+\.py\S*.*)$/.exec(line)?.[1];
		if (listed !== undefined && report.listed.length < MAX_ERRORS) report.listed.push(splitListed(listed));
		const verbose = /^(\S+\.py::.+?) PASSED(?: +\[ *\d+%\])?$/.exec(line)?.[1];
		const spread = /^\[gw\d+\] \[ *\d+%\] PASSED (\S+\.py::.+?) ?$/.exec(line)?.[1];
		if (verbose !== undefined) report.passed.add(verbose);
		if (spread !== undefined) report.passed.add(spread);
		const skipped = /^(\S+\.py::.+?) (?:SKIPPED|XFAIL)\b/.exec(line)?.[1];
		if (skipped !== undefined) report.skipped.push(skipped);
		if (section !== null) readSection(section, line);
	}
	return report;
}

function readSection(section: PytestSection, line: string): void {
	if (/^E {2,}/.test(line)) section.message.push(line.slice(1));
	const [, file, rest = ""] = /^(\S+\.py):\d+: (.+)$/.exec(line) ?? [];
	if (file === undefined) return;
	section.file ??= file;
	if (/^[A-Z]\w*$/.test(rest)) section.class = rest;
}

/** In `path::test[a - b] - message` the dash after the bracket ends the name. */
function splitListed(text: string): { unit: string; text: string } {
	const bracket = text.lastIndexOf("] - ");
	const at = bracket >= 0 && text.includes("[") ? bracket + 1 : text.indexOf(" - ");
	return at < 0 ? { unit: text.trim(), text: "" } : { unit: text.slice(0, at), text: text.slice(at + 3) };
}

function fromSummary(report: Report): UnitError[] {
	const free = new Set(report.sections);
	return report.listed.map(({ unit, text }) => {
		const [file = "", ...names] = unit.split("::");
		const name = names.join("::");
		const fits = (section: PytestSection) =>
			bareTitle(section.title) === name.replaceAll("::", ".") || (name === "" && section.file === file);
		const section =
			[...free].find((one) => fits(one) && (one.file === null || one.file === file)) ?? [...free].find(fits) ?? null;
		if (section !== null) free.delete(section);
		const lines = section !== null && section.message.length > 0 ? section.message : [text];
		return pytestError(unit, file, name === "" ? null : name, lines, section?.class ?? null);
	});
}

function fromSection(section: PytestSection): UnitError {
	const name = section.title.startsWith("ERROR collecting") ? null : bareTitle(section.title);
	const unit = [section.file, name?.replaceAll(".", "::")].filter(Boolean).join("::");
	return pytestError(unit, section.file, name, section.message, section.class);
}

function pytestError(
	unit: string,
	file: string | null,
	name: string | null,
	lines: readonly string[],
	seen: string | null,
) {
	const first = (lines[0] ?? "").trim();
	const plain = /^assert\b/.test(first) ? "AssertionError" : null;
	// A failed import first shows where it was tried; the error is in the line with the class.
	const at = Math.max(
		0,
		first.startsWith("ImportError while") ? lines.findIndex((line, i) => i > 0 && splitClass(line.trim())) : 0,
	);
	return unitError({ unit, file, name }, lines.slice(at), {
		class: plain ?? splitClass(lines[at]?.trim() ?? "")?.class ?? seen,
	});
}

function bareTitle(title: string): string {
	return title.replace(/^ERROR at (setup|teardown) of /, "");
}

/**
 * Python programs that died, and unittest. A traceback in a log proves nothing, so the status stays unknown unless
 * unittest prints its summary.
 */
export const traceback: Recogniser = {
	tool: "python",
	hint: /^(python|py)[\d.]*\b|\bunittest\b|\bmanage\.py\b/,
	sign: /File "|Ran \d/,
	recognise(lines) {
		const errors = readTracebacks(lines);
		const ran = lines.some((line) => /^Ran \d+ tests? in /.test(line));
		const verdict = ran ? lines.findLast((line) => /^(OK|FAILED)(?: \(.*\))?$/.test(line)) : undefined;
		if (errors.length === 0 && verdict === undefined) return null;
		const status = verdict === undefined ? "unknown" : verdict.startsWith("OK") ? "pass" : "fail";
		const [skipped = 0, expected = 0] = [/skipped=(\d+)/, /expected failures=(\d+)/].map((count) =>
			Number(count.exec(verdict ?? "")?.[1] ?? 0),
		);
		return recognised("python", {
			status,
			errors,
			skipped: skipped + expected,
			// A module that cannot be loaded is an error of its own, and none of its tests ran.
			whole: verdict !== undefined && !errors.some(({ unit }) => unit.includes("unittest.loader._FailedTest")),
		});
	},
};

const MAX_TRACEBACKS = 50;
const CHAINED = /^(During handling of the above exception|The above exception was the direct cause)/;
const LIBRARY = /(site|dist)-packages|\/lib\/python\d|<frozen|<string>/;

interface Frame {
	readonly file: string;
	readonly name: string | null;
}

function readTracebacks(lines: readonly string[]): UnitError[] {
	const errors: UnitError[] = [];
	let frames: Frame[] = [];
	let title: string | null = null;
	for (const [i, line] of lines.entries()) {
		if (errors.length >= MAX_TRACEBACKS) break;
		title = /^(?:FAIL|ERROR): (\S+ \(\S+\))/.exec(line)?.[1] ?? title;
		const [, file, name = null] = /^\s+File "(.+?)", line \d+(?:, in (.+))?$/.exec(line) ?? [];
		if (file !== undefined) frames.push({ file, name });
		else if (frames.length > 0 && /^[A-Za-z_]/.test(line)) {
			const next = lines.slice(i + 1, i + 8).find((one) => one.trim() !== "" && !/^\s/.test(one)) ?? "";
			if (!CHAINED.test(next)) errors.push(tracebackError(frames, lines.slice(i, i + 6), title));
			frames = [];
			title = null;
		}
	}
	return errors;
}

function tracebackError(frames: readonly Frame[], rest: readonly string[], title: string | null): UnitError {
	const own = frames.findLast((frame) => !LIBRARY.test(frame.file)) ?? frames.at(-1);
	const file = own?.file ?? null;
	const name = title ?? own?.name ?? null;
	const [first = "", ...others] = rest;
	const thrown = splitClass(first)?.class ?? /^([\w.]+)(?::|$)/.exec(first)?.[1]?.split(".").at(-1) ?? null;
	const text = thrown === null ? first : first.replace(/^[\w.]+(: )?/, "");
	const more = others.filter((line) => /^\s+\S/.test(line)).slice(0, 3);
	const unit = title ?? ([file?.split(/[\\/]/).at(-1), name].filter(Boolean).join(" in ") || "python");
	return unitError({ unit, file, name }, [text, ...more], { class: thrown, keyLines: 1 });
}
