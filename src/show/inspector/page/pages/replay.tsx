/** A recorded session through the real engine, under each mode. Dropped files are read, replayed and forgotten. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ModeReport } from "../../../../replay/mode-report.ts";
import type { ReplayReport } from "../../../../replay/report.ts";
import { go, href } from "../address.ts";
import { load } from "../data.ts";
import { count, dollars, many, percent, span } from "../format.ts";
import { Bar, Copy, Head, State } from "../parts.tsx";
import { Text } from "../text.tsx";
import type { PageProps } from "./page.ts";
import { ReplayCurves } from "./replay-curves.tsx";

interface Job {
	readonly id: string;
	readonly name: string;
	readonly status: "running" | "done" | "failed" | "stopped";
	readonly progress: { readonly what: string; readonly done: number; readonly total: number } | null;
	readonly report: Partial<ReplayReport> | null;
	readonly error: string | null;
	readonly ms: number;
}

const ORDER = ["woven", "lossless", "host", "warp"] as const;
const MEANING: Readonly<Record<string, string>> = {
	woven: "seed and tail; seals when it pays",
	lossless: "the history, compacted by our DAG",
	host: "the agent alone, its own compaction",
	warp: "computed anew for every run",
};
const LOOK_MS = 300;

export function Replay({ address, vitals }: PageProps): JSX.Element {
	const [job, setJob] = useState<Job | undefined>();
	const [error, setError] = useState<string | undefined>();
	const [recent, setRecent] = useState<readonly Pick<Job, "id" | "name" | "status">[]>([]);
	const { id } = address;
	useEffect(() => {
		void load<{ replays: readonly Pick<Job, "id" | "name" | "status">[] }>("/replay.json").then(
			({ replays }) => setRecent(replays),
			() => {},
		);
		if (id === undefined) {
			setJob(undefined);
			return;
		}
		let timer = 0;
		let isOver = false;
		const look = () => {
			load<Job>(`/replay/${id}.json`).then(
				(now) => {
					if (isOver) return;
					setError(undefined);
					setJob(now);
					if (now.status === "running") timer = window.setTimeout(look, LOOK_MS);
				},
				(problem: { message: string }) => !isOver && setError(problem.message),
			);
		};
		look();
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [id]);
	const start = async (address: string, body?: Blob) => {
		setError(undefined);
		const response = await fetch(address, { method: "POST", body: body ?? null }).catch(() => undefined);
		const answer = (await response?.json().catch(() => undefined)) as
			| (Job & { error?: { message: string } })
			| undefined;
		if (!answer || answer.error) return setError(answer?.error?.message ?? "The inspector has stopped.");
		setJob(answer);
		go(href({ id: answer.id }));
	};
	const file = (each: File | undefined) => each && void start(`/replay?name=${encodeURIComponent(each.name)}`, each);
	return (
		<>
			<Head
				title="Replay"
				sub="a recorded session through the real engine, under each mode"
				cli="weft replay FILE"
				session={false}
				json={id ? `/replay/${id}.json` : undefined}
			/>
			<div class="scroll">
				<div class="sec">
					<Drop onFile={file} />
					<div class="chips" style={{ marginTop: "8px", alignItems: "center" }}>
						{vitals && (
							<button
								type="button"
								onClick={() =>
									void start(`/replay?project=${address.project}&session=${encodeURIComponent(address.session)}`)
								}
							>
								Replay the session at hand
							</button>
						)}
						{recent.length > 0 && <span class="dim">Since the launch</span>}
						{recent.map((each) => (
							<button
								type="button"
								key={each.id}
								aria-pressed={each.id === id}
								onClick={() => go(href({ id: each.id }))}
							>
								<Text>{each.name.slice(0, 40)}</Text>
							</button>
						))}
					</div>
				</div>
				{error && (
					<div class="sec">
						<div class="note blocked" role="alert">
							<p>
								<b>This could not be replayed.</b> <Text>{error}</Text>
							</p>
						</div>
					</div>
				)}
				{job && job.id === id && <Result job={job} />}
			</div>
		</>
	);
}

function Drop({ onFile }: { onFile: (file: File | undefined) => void }): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	const [over, set] = useState(false);
	return (
		<div
			class={over ? "drop over" : "drop"}
			onDragOver={(event) => {
				event.preventDefault();
				set(true);
			}}
			onDragLeave={() => set(false)}
			onDrop={(event) => {
				event.preventDefault();
				set(false);
				onFile(event.dataTransfer?.files[0]);
			}}
		>
			<span>
				<b>Drop a session file of your agent here</b>, or{" "}
				<button type="button" onClick={() => input.current?.click()}>
					Choose a file
				</button>
			</span>
			<span class="dim">It is read on this machine, goes nowhere, and nothing of it is kept.</span>
			<input
				ref={input}
				type="file"
				class="sr"
				aria-label="Session file"
				tabIndex={-1}
				onChange={(event) => onFile(event.currentTarget.files?.[0])}
			/>
		</div>
	);
}

function Result({ job }: { job: Job }): JSX.Element {
	const report = job.report;
	const modes = report?.modes ?? {};
	const there = ORDER.filter((name) => modes[name]);
	const { progress } = job;
	return (
		<>
			<div class="sec flush">
				<header>
					<h2>
						<Text>{job.name.slice(0, 80)}</Text>
					</h2>
					<span class="dim">
						{report?.model ? (
							<>
								<Text>{report.model}</Text> at {dollars(report.prices!.input, 2)} per million, window{" "}
								{count(report.window!)}, {report.profile}; {span(job.ms)}
							</>
						) : (
							job.status
						)}
					</span>
					{job.status === "done" && (
						<span class="r">
							<Copy text={`weft import FILE`} title="nothing is kept; this command keeps it">
								Keep it: weft import
							</Copy>
						</span>
					)}
				</header>
				{job.status === "running" && (
					<div class="hp" role="status">
						<div style={{ display: "flex", justifyContent: "space-between", gap: "10px" }}>
							<b>{progress?.what ?? "starting"}</b>
							<span class="dim">{progress ? `${count(progress.done)} of ${count(progress.total)}` : ""}</span>
						</div>
						<div class="prog">
							<i style={{ width: `${progress ? (100 * progress.done) / Math.max(1, progress.total) : 0}%` }} />
						</div>
						<p class="dim" style={{ margin: "4px 0 8px" }}>
							{there.length > 0 ? `${there.join(", ")} done; ` : ""}rows appear as they are computed.{" "}
							<button type="button" onClick={() => void fetch(`/replay/${job.id}/stop`, { method: "POST" })}>
								Stop
							</button>
						</p>
					</div>
				)}
				{job.status === "failed" && (
					<div class="hp">
						<div class="note blocked" role="alert">
							<p>
								<b>The replay failed.</b> <Text>{job.error ?? ""}</Text>
							</p>
						</div>
					</div>
				)}
				{job.status === "stopped" && <p class="dim hp">Stopped.</p>}
				{there.length > 0 && <Modes modes={modes} report={report!} names={there} />}
				{report?.recovered && <Facts report={report as ReplayReport} />}
			</div>
			{there.length > 0 && <ReplayCurves modes={modes} names={there} prices={report?.prices?.input ?? 3} />}
		</>
	);
}

function Modes({
	modes,
	report,
	names,
}: {
	modes: Readonly<Record<string, ModeReport>>;
	report: Partial<ReplayReport>;
	names: readonly string[];
}): JSX.Element {
	const host = modes["host"]?.costDollars;
	const all = names.map((name) => modes[name]!);
	const most = Math.max(1e-9, ...all.map(({ costDollars }) => costDollars), report.billed?.costDollars ?? 0);
	const best = (pick: (mode: ModeReport) => number | null, isLow: boolean) => {
		const values = all.flatMap((mode) => pick(mode) ?? []);
		return isLow ? Math.min(...values) : Math.max(...values);
	};
	const cell = (
		mode: ModeReport,
		pick: (of: ModeReport) => number | null,
		show: (value: number) => string,
		isLow: boolean,
		hide = "",
	) => {
		const value = pick(mode);
		return (
			<td class={`num ${hide} ${value !== null && value === best(pick, isLow) && all.length > 1 ? "best" : ""}`}>
				{value === null ? "–" : show(value)}
			</td>
		);
	};
	const { billed } = report;
	return (
		<div class="tw">
			<table class="auto" aria-label="Modes">
				<thead>
					<tr>
						<th scope="col">Mode</th>
						<th scope="col" class="num">
							Cost
						</th>
						<th scope="col" class="num hide-s">
							Of host
						</th>
						<th scope="col" class="hide-m">
							<span class="sr">bar</span>
						</th>
						<th scope="col" class="num hide-s">
							Mean tokens
						</th>
						<th scope="col" class="num hide-m">
							Most
						</th>
						<th scope="col" class="num hide-s">
							Cache hit
						</th>
						<th scope="col" class="num hide-m">
							Breaks
						</th>
						<th scope="col" class="num hide-m">
							Seals
						</th>
						<th scope="col" class="num" title="old text of edits that stood in the context">
							Edits held
						</th>
						<th scope="col" class="num hide-m">
							Paths held
						</th>
						<th scope="col" class="num hide-m">
							Terms held
						</th>
					</tr>
				</thead>
				<tbody>
					{names.map((name) => {
						const mode = modes[name]!;
						return (
							<tr key={name} data-mode={name}>
								<td>
									<b>{name}</b> <span class="dim hide-m">{MEANING[name]}</span>
								</td>
								{cell(
									mode,
									(of) => of.costDollars,
									(value) => dollars(value, 2),
									true,
								)}
								<td class="num hide-s">{host ? (mode.costDollars / host).toFixed(2) : "–"}</td>
								<td class="hide-m" style={{ width: "120px" }}>
									<Bar
										width={(108 * mode.costDollars) / most}
										colour={name === "host" ? "var(--k-host)" : "var(--ink)"}
									/>
								</td>
								{cell(mode, (of) => of.meanTokens, count, true, "hide-s")}
								{cell(mode, (of) => of.maxTokens, count, true, "hide-m")}
								{cell(
									mode,
									(of) => of.hitShare,
									(value) => percent(value),
									false,
									"hide-s",
								)}
								<td class="num hide-m">{mode.prefixBreaks}</td>
								<td class="num hide-m">{mode.seals}</td>
								{cell(
									mode,
									(of) => of.editSupport,
									(value) => percent(value),
									false,
								)}
								{cell(
									mode,
									(of) => of.pathSupport,
									(value) => percent(value),
									false,
									"hide-m",
								)}
								{cell(
									mode,
									(of) => of.termSupport,
									(value) => percent(value),
									false,
									"hide-m",
								)}
							</tr>
						);
					})}
					{billed && billed.requests > 0 && (
						<tr class="off">
							<td>
								<b>billed</b> <span class="hide-m">what the provider really charged</span>
							</td>
							<td class="num">{dollars(billed.costDollars, 2)}</td>
							<td class="num hide-s">{host ? (billed.costDollars / host).toFixed(2) : "–"}</td>
							<td class="hide-m">
								<Bar width={(108 * billed.costDollars) / most} colour="var(--line-2)" />
							</td>
							<td class="num hide-s">{count(billed.meanTokens)}</td>
							<td class="num hide-m">{count(billed.maxTokens)}</td>
							<td class="num hide-s">{percent(billed.hitShare)}</td>
							<td class="num hide-m">{billed.misses.warm + billed.misses.cold}</td>
							<td class="num hide-m">–</td>
							<td class="num">–</td>
							<td class="num hide-m">–</td>
							<td class="num hide-m">–</td>
						</tr>
					)}
				</tbody>
			</table>
		</div>
	);
}

function Facts({ report }: { report: ReplayReport }): JSX.Element {
	const { recovered, verdicts, malformed, modes } = report;
	const edits = modes.woven?.support.edits;
	const { messages, recovered: back } = recovered;
	return (
		<div class="leg hp" style={{ paddingTop: "10px" }}>
			<State is={back === messages ? "fresh" : "blocked"}>
				{count(back)} of {count(messages)} messages came back byte for byte
			</State>
			<span class="mid">
				{count(verdicts.blocks)} of {many(verdicts.calls, "call")} would have been blocked
			</span>
			{edits && (
				<span class="mid">
					woven held {edits[0]} of {many(edits[1], "edit")}
				</span>
			)}
			{malformed > 0 && <State is="stale">{many(malformed, "line")} could not be read</State>}
			<span class="dim">Bold: the best of a column.</span>
		</div>
	);
}
