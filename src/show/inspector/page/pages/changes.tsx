/** What a session did to files: a diff for each, of the whole session or of one run, to copy as a patch. */
import type { JSX } from "preact";
import type { ConversationOutline } from "../../../../view/conversation.ts";
import type { FileDiff, SessionDiff } from "../../../../view/session-diff.ts";
import { go, href } from "../address.ts";
import { dataPath, usePageData, useSteadyPageData } from "../data.ts";
import { count, many } from "../format.ts";
import { Copy, Head, Waiting } from "../parts.tsx";
import { Table } from "../table.tsx";
import { Diff, Path, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

export function Changes({ address }: PageProps): JSX.Element {
	const run = address.query["run"];
	const path = dataPath("changes", { run, from: address.query["from"], to: address.query["to"] });
	const loaded = useSteadyPageData<SessionDiff>(path);
	const outline = usePageData<ConversationOutline>(dataPath("conversation"));
	const view = loaded.data;
	const chosen = view?.files.find((file) => file.path === address.query["file"]) ?? view?.files[0];
	return (
		<>
			<Head
				title="Changes"
				sub={view ? many(view.files.length, "file") : ""}
				cli={run ? `weft diff --run ${run}` : "weft diff"}
				json={path}
				more={
					view && view.patch !== "" ? (
						<Copy text={view.patch} title="copy the diffs of all files, as 'git apply' takes them">
							Copy as a patch
						</Copy>
					) : undefined
				}
			>
				<RunChoice run={run} prompts={outline.data?.prompts ?? []} />
			</Head>
			{!view ? (
				<Waiting of={loaded} />
			) : !chosen ? (
				<div class="scroll">
					<div class="sec">
						<div class="note">No file was changed.</div>
					</div>
				</div>
			) : (
				<div class="split wide-side">
					<div>
						<FileList files={view.files} chosen={chosen} />
					</div>
					<div class="side">
						<FileChanges file={chosen} />
					</div>
				</div>
			)}
		</>
	);
}

function RunChoice({
	run,
	prompts,
}: {
	run: string | undefined;
	prompts: ConversationOutline["prompts"];
}): JSX.Element {
	return (
		<select
			class="runs"
			aria-label="Changes of"
			value={run ?? ""}
			onChange={(event) => go(href({ set: { run: event.currentTarget.value, from: null, to: null, file: null } }))}
		>
			<option value="">the whole session</option>
			{prompts.map(({ text }, at) => (
				<option key={at} value={String(at + 1)}>
					{at + 1}: {text.slice(0, 60)}
				</option>
			))}
		</select>
	);
}

function FileList({ files, chosen }: { files: readonly FileDiff[]; chosen: FileDiff }): JSX.Element {
	return (
		<Table
			label="Changed files"
			columns={[
				{ title: "File" },
				{ title: "Lines", width: 110, num: true },
				{ title: "Edits", width: 70, num: true, hide: "m" },
			]}
			rows={files.map(({ path, kind, added, removed, changes }) => ({
				key: path,
				href: href({ set: { file: path } }),
				selected: path === chosen.path,
				cells: [
					<Path key="p" of={path} note={kind === "changed" ? undefined : kind} />,
					`+${count(added)} −${count(removed)}`,
					count(changes),
				],
			}))}
		/>
	);
}

function FileChanges({ file: { path, kind, diff, isWhole, changes, rewind } }: { file: FileDiff }): JSX.Element {
	return (
		<div class="sec">
			<header>
				<h2 class="mono wrap-any">
					<Text>{path}</Text>
				</h2>
				<span class="mid">
					{kind}, {many(changes, "change")}
				</span>
				<span class="r">
					{diff !== "" && <Copy text={diff}>Copy this file's patch</Copy>}
					{rewind !== null && (
						<Copy
							text={rewind}
							title="copy the command that shows the file before these changes, and with --yes brings it back"
						>
							weft rewind
						</Copy>
					)}
				</span>
			</header>
			{!isWhole && diff !== "" && (
				<p class="dim">Step by step, because the log does not have the whole text. git may refuse it.</p>
			)}
			{diff === "" ? (
				<div class="note">{isWhole ? "Nothing is left of the changes." : "The log has no text of the changes."}</div>
			) : (
				<Diff lines={diff.replace(/\n$/, "").split("\n")} />
			)}
		</div>
	);
}
