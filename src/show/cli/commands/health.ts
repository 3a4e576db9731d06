import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SETUPS } from "../../../agent/agent-programs.ts";
import { READERS } from "../../../agent/agents.ts";
import { importFile } from "../../../agent/recorded/import.ts";
import { offerFile, sessionFilesOf } from "../../../agent/recorded/repair-source.ts";
import { findSessionFiles } from "../../../agent/recorded/session-files.ts";
import { readRecords } from "../../../agent/recorded/session-store.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { openEngine } from "../../../engine.ts";
import { Repair } from "../../../log/repair/repair.ts";
import { type VerifyReport, verify } from "../../../log/repair/verify.ts";
import { archiveFolder } from "../../../log/retention/archive.ts";
import { checkArchives } from "../../../log/retention/archived-events.ts";
import { type HealthCheck, readHealth, renderHealth } from "../../../view/doctor.ts";
import { type RepairView, recover, renderRecovery, renderRepair } from "../../../view/repair.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { CommandModule } from "../frame.ts";
import { nodeProblem } from "../node-process.ts";
import type { Output } from "../output.ts";
import { Progress } from "../progress.ts";
import { weftCommand } from "../weft-command.ts";

export const doctorCommand: CommandModule<"doctor"> = {
	run({ context }) {
		const health = readHealth({
			version: ownVersion(),
			nodeProblem: nodeProblem(process.versions.node),
			settings: context.readSettings(),
			project: context.root,
			now: context.now(),
			...context.places(),
		});
		const all = { ...health, checks: [...health.checks, ...checkAgents(context)] };
		return { data: all, lines: (out) => renderHealth(all, out), code: all.ok ? EXIT.ok : EXIT.failed };
	},
};

/** Checks the agents on this machine that weft can be set up in. */
function checkAgents(context: Context): HealthCheck[] {
	const { env } = context;
	const options = { weft: weftCommand(context), dataHome: context.ownHome(), env };
	return SETUPS.flatMap((agent) => {
		try {
			const found = agent.find(env);
			return found ? agent.check(found, options).map((finding) => ({ name: agent.name, ...finding })) : [];
		} catch (error) {
			return [{ name: agent.name, level: "warn", says: errorText(error) } as const];
		}
	});
}

export const verifyCommand: CommandModule<"verify"> = {
	async run({ engine: { log, project } }) {
		const report = verify(log);
		log.forgetLosses();
		const archives = await checkArchives(log);
		const ok = report.problems.length === 0;
		const bad = archives.filter(({ state }) => state !== "whole");
		return {
			data: { ok, ...report, archives },
			lines: (out) => reportLines(report, out),
			remarks: [
				...bad.map(({ archive, state, events }) => {
					const what = state === "missing" ? "is missing" : "has changed since it was written";
					return `${archive} ${what}: ${plural(events, "event")} left the log for it. Is there another copy?`;
				}),
				...(ok
					? []
					: [
							`First copy ${project.folder} to a safe place.`,
							"'weft repair' restores everything it finds a copy of. 'weft doctor' says more.",
						]),
			],
			code: ok ? EXIT.ok : EXIT.failed,
		};
	},
};

function* reportLines(report: VerifyReport, out: Output): Generator<string> {
	for (const problem of report.problems) yield `${out.paint("red", "✗")} ${problem}`;
	for (const sentence of report.malformed) yield `${out.paint("yellow", "!")} ${sentence}; it is skipped`;
	const sizes = counted(report);
	yield report.problems.length === 0
		? `${out.paint("green", "✓")} The log is whole: ${sizes}.`
		: `The log is damaged: ${sizes}.`;
}

function counted({ events, blobs, pruned, malformedCount, lost }: VerifyReport): string {
	const parts = [plural(events, "event"), plural(blobs, "blob"), `${formatCount(pruned)} pruned`];
	if (malformedCount > 0) parts.push(`${formatCount(malformedCount)} malformed`);
	if (lost > 0) parts.push(`${formatCount(lost)} lost and set aside`);
	return parts.join(", ");
}

export const repairCommand: CommandModule<"repair"> = {
	async run({ context, out, engine: { log }, args }) {
		const given = args.flatMap((path) => filesOf(resolve(context.cwd, path)));
		if (log.readOnly) throw new EngineError("read-only", `${log.path} can only be read now, so it cannot be repaired.`);
		const repair = new Repair(log);
		const places = repair.isNeeded
			? [archiveFolder(log), ...sessionFilesOf(repair.sessions(), READERS, context.env)]
			: [];
		const files: { file: string; restored: number }[] = [];
		for (const file of new Set([...given, ...places.filter(existsSync).flatMap(filesOf)])) {
			if (!repair.isNeeded) break;
			try {
				files.push({ file, restored: await offerFile(repair, file, READERS) });
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				out.talk(`${oneLine(file)} was skipped: ${error.message}`);
			}
		}
		const report = repair.isolate();
		// Restored or isolated events change everything derived from them.
		if (report.restored + report.isolated > 0) log.rebuild();
		const view: RepairView = { ...report, files, damaged: join(log.folder, "damaged") };
		return {
			data: view,
			lines: () => renderRepair(view, out),
			code: report.left.length === 0 ? EXIT.ok : EXIT.failed,
		};
	},
};

function filesOf(path: string): string[] {
	if (!existsSync(path)) throw new EngineError("not-found", `${path}: no such file or folder.`);
	const found = findSessionFiles(path);
	return found.length > 0 ? found : [path];
}

export const rebuildCommand: CommandModule<"rebuild"> = {
	run({ engine: { log } }) {
		log.rebuild();
		const events = log.count();
		const { docs } = log.search.stats();
		return {
			data: { events, documents: docs },
			lines: () => [
				`Rebuilt from ${formatCount(events)} events: the derived tables, the index of handles and the search index of ${formatCount(docs)} texts.`,
			],
		};
	},
};

/** Imports a session into a temporary folder and fetches every byte of it back through the tool. */
export const recoverCommand: CommandModule<"recover"> = {
	async run({ out, args: [path = ""], options }) {
		const home = mkdtempSync(join(tmpdir(), "weft-recover-"));
		const progress = new Progress(out.progressStream);
		const engine = openEngine({ cwd: home, host: "cli", home: join(home, "data"), env: {}, trusted: false });
		try {
			const { kind, malformedCount } = await importFile(path, {
				readers: READERS,
				logFor: () => ({
					append: (events) => engine.log.append(events, { packed: true }),
					read: (query) => engine.log.read(query),
					putBlob: (bytes) => engine.log.putBlob(bytes),
				}),
			});
			const recovery = await recover(engine.log, {
				lines: readRecords(path, READERS),
				onProgress: (messages) => progress.show(() => `${formatCount(messages)} messages fetched`),
				maxTokens: options.maxTokens,
			});
			const whole = recovery.missing.length === 0;
			return {
				data: { whole, kind, malformed: malformedCount, ...recovery },
				lines: () => renderRecovery(recovery),
				code: whole ? EXIT.ok : EXIT.failed,
			};
		} finally {
			progress.clear();
			engine.close();
			rmSync(home, { recursive: true, force: true });
		}
	},
};
