/** Replays a recorded session through the real engine in each mode. A dropped file is read, replayed and deleted. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReplayJob } from "../../server/replay-jobs.ts";
import { ask } from "../access.ts";
import { go, href } from "../address.ts";
import { load, type PageProblem } from "../data.ts";
import { Head } from "../parts.tsx";
import { Text } from "../text.tsx";
import type { PageProps } from "./page.ts";
import { ReplayResult } from "./replay-result.tsx";

type ReplayName = Pick<ReplayJob, "id" | "name" | "status">;

const POLL_MS = 300;

export function Replay({ address, vitals }: PageProps): JSX.Element {
	const { id, project, session } = address;
	const { job, problem, recent, start } = useReplayJob(id);
	const replayFile = (file: File | undefined) =>
		file && void start(`/replay?name=${encodeURIComponent(file.name)}`, file);
	const replaySession = () => void start(`/replay?project=${project}&session=${encodeURIComponent(session)}`);
	return (
		<>
			<Head
				title="Replay"
				sub="a recorded session through the real engine, in each mode"
				cli="weft replay FILE"
				session={false}
				json={id ? `/replay/${id}.json` : undefined}
			/>
			<div class="scroll">
				<div class="sec">
					<Drop onFile={replayFile} />
					<div class="chips" style={{ marginTop: "8px", alignItems: "center" }}>
						{vitals && (
							<button type="button" onClick={replaySession}>
								Replay this session
							</button>
						)}
						{recent.length > 0 && <span class="dim">Since the inspector started</span>}
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
				{problem && (
					<div class="sec">
						<div class="note blocked" role="alert">
							<p>
								<b>This could not be replayed.</b> <Text>{problem}</Text>
							</p>
						</div>
					</div>
				)}
				{job && job.id === id && <ReplayResult job={job} />}
			</div>
		</>
	);
}

/** The job with this id, followed until it ends. */
function useReplayJob(id: string | undefined) {
	const [job, setJob] = useState<ReplayJob | undefined>();
	const [problem, setProblem] = useState<string | undefined>();
	const [recent, setRecent] = useState<readonly ReplayName[]>([]);
	useEffect(() => {
		void load<{ replays: readonly ReplayName[] }>("/replay.json").then(
			({ replays }) => setRecent(replays),
			() => {},
		);
		if (id === undefined) {
			setJob(undefined);
			return;
		}
		let timer = 0;
		let isOver = false;
		const poll = () => {
			load<ReplayJob>(`/replay/${id}.json`).then(
				(now) => {
					if (isOver) return;
					setProblem(undefined);
					setJob(now);
					if (now.status === "running") timer = window.setTimeout(poll, POLL_MS);
				},
				({ message }: PageProblem) => !isOver && setProblem(message),
			);
		};
		poll();
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [id]);
	const start = async (path: string, body?: Blob) => {
		setProblem(undefined);
		const response = await ask(path, { method: "POST", body: body ?? null }).catch(() => undefined);
		const answer = (await response?.json().catch(() => undefined)) as (ReplayJob & { error?: PageProblem }) | undefined;
		if (!answer || answer.error) return setProblem(answer?.error?.message ?? "The inspector has stopped.");
		setJob(answer);
		go(href({ id: answer.id }));
	};
	return { job, problem, recent, start };
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
				<b>Drop your agent's session file here</b>, or{" "}
				<button type="button" onClick={() => input.current?.click()}>
					Choose a file
				</button>
			</span>
			<span class="dim">The file stays on this machine, and nothing of it is kept.</span>
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
