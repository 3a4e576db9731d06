/** One request: what it sent and cost, where the cached prefix broke, how it differs from the one before, and its parts. */
import type { ComponentChildren, JSX } from "preact";
import { missSentence, missWords, newTokensSentence, partWords } from "../../../../view/cache-miss.ts";
import type { RequestView } from "../../../../view/request.ts";
import { cost, count, dollars, many, percent, sourceOfCost } from "../format.ts";
import { cls, Fact, Item, State, Swatch } from "../parts.tsx";
import { Handle, Text } from "../text.tsx";
import { RequestDifference } from "./request-difference.tsx";

interface Viewed {
	readonly view: RequestView;
}

export function RequestDetail({ view, all, hideSame }: Viewed & { all: boolean; hideSame: boolean }): JSX.Element {
	return (
		<>
			<Facts view={view} />
			<CacheSection view={view} />
			<div class="sec flush">
				<header>
					<h2>Difference from request {view.before?.n ?? "–"}</h2>
					<span class="dim hide-s">
						<kbd>d</kbd> {hideSame ? "shows" : "hides"} unchanged items
					</span>
				</header>
				<RequestDifference view={view} all={all} hideSame={hideSame} />
			</div>
			{view.sections.length > 0 && <SeedSections view={view} />}
			{view.request.segments.length > 0 && <Envelope view={view} />}
		</>
	);
}

function Facts({ view: { request, hostHead, sent: size } }: Viewed): JSX.Element {
	const { reported, host, answer, compaction } = request;
	const sent = reported ? reported.read + reported.write + reported.input : size;
	return (
		<div class="sec">
			<dl class="facts">
				<Fact name="Sent" more={renderSource(request, hostHead)}>
					{request.mode === null && !reported ? "~" : ""}
					{count(sent)}
				</Fact>
				{hostHead !== null && hostHead > 0 && (
					<Fact name="System and tools" more={`~${count(sent - hostHead)} messages`}>
						~{count(hostHead)}
					</Fact>
				)}
				{compaction && (
					<Fact name="Compacted before it" more="by the agent">
						{compaction.tokensBefore === null ? "?" : count(compaction.tokensBefore)} →{" "}
						{compaction.tokensAfter === null ? "?" : count(compaction.tokensAfter)}
					</Fact>
				)}
				{reported && <Fact name="Read from cache">{count(reported.read)}</Fact>}
				{reported && reported.write > 0 && <Fact name="Written">{count(reported.write)}</Fact>}
				{reported && reported.write === 0 && <Fact name="Not cached">{count(reported.input)}</Fact>}
				{request.dollars !== null && (
					<Fact name="Cost" more={sourceOfCost({ estimated: request.isEstimated, assumed: request.isAssumed })}>
						{cost({ dollars: request.dollars, estimated: request.isEstimated, assumed: request.isAssumed })}
					</Fact>
				)}
				{host && (
					<Fact name="Agent alone" more={`${dollars(host.dollars)} estimated`}>
						{count(host.tokens)}
					</Fact>
				)}
				{answer && (
					<Fact name="Answer">
						<Handle of={answer.handle} />
					</Fact>
				)}
			</dl>
		</div>
	);
}

/** Whether the number of tokens is the provider's or our estimate. */
function renderSource({ reported, mode, tokens }: RequestView["request"], hostHead: number | null): string {
	if (!reported) return hostHead === 0 ? "the messages alone; the agent reported no usage" : "estimated";
	return mode === null ? "reported" : `reported, ${count(tokens)} estimated`;
}

function CacheSection({ view }: Viewed): JSX.Element {
	const { request, bytes, before, proven } = view;
	const { predicted } = request;
	return (
		<div class="sec">
			<header>
				<h2>Cache</h2>
				<span class="dim">
					{count(bytes)} bytes{before ? `, compared with request ${before.n}` : ""}
					{predicted ? `; predicted ${count(predicted.read)} read and ${count(predicted.write)} written` : ""}
					{proven === true ? "; these are the bytes that were sent" : ""}
				</span>
			</header>
			<ByteRuler view={view} />
			{view.break ? (
				<PrefixBreak view={view} at={view.break} />
			) : request.miss ? (
				<CacheMiss miss={request.miss} reported={request.reported} />
			) : (
				<PrefixKept view={view} />
			)}
		</div>
	);
}

/** To scale, whatever the labels need: they are below it. */
function ByteRuler({ view: { bytes, sameBytes, before, ...view } }: Viewed): JSX.Element {
	const share = before ? (100 * sameBytes) / Math.max(1, bytes) : 0;
	const changed = Math.max(0, bytes - sameBytes);
	const isAgain = view.break !== null;
	return (
		<>
			<div class="ruler" aria-hidden="true">
				{before && <span class="eq" style={{ width: `${share}%` }} />}
				<span class={isAgain ? "brk" : "fresh"} style={{ width: `${100 - share}%` }} />
			</div>
			<p class="dim rulers">
				{before ? `${count(sameBytes)} bytes the same (${percent(share / 100, 2)}), ` : ""}
				{count(changed)} {isAgain ? "written again or new" : "new"}
			</p>
		</>
	);
}

function CacheMiss({
	miss,
	reported,
}: {
	miss: NonNullable<RequestView["request"]["miss"]>;
	reported: RequestView["request"]["reported"];
}): JSX.Element {
	return (
		<div class="note plain blocked" data-miss={miss.state}>
			<p>
				<State is="blocked">{missWords(miss)}</State> <b>{missSentence(miss)}</b>{" "}
				{reported ? newTokensSentence({ reported, miss }) : ""}
			</p>
			<p class="dim">The messages themselves are the same.</p>
		</div>
	);
}

function PrefixBreak({
	view: { request, before, seal },
	at,
}: Viewed & { at: NonNullable<RequestView["break"]> }): JSX.Element {
	return (
		<>
			{before && (
				<div class="at mono">
					<BytesAround n={before.n} common={at.common} changed={at.was} />
					<BytesAround n={request.n} common={at.common} changed={at.is} markClass="n" />
				</div>
			)}
			<div class={cls("note plain", (at.cause === null || request.mode === null) && "blocked")}>
				<p>
					<b>
						The cached prefix broke at byte {count(at.byte)}, in {partWords(at.segment)}.
					</b>{" "}
					{many(at.tokens, "token")} {at.tokens === 1 ? "was" : "were"} written again: <b>~{dollars(at.dollars)}</b>.
				</p>
				<p>
					{at.cause === null ? (
						<b>Bytes that were already sent have changed, and nothing in the log explains why.</b>
					) : (
						<>
							Cause: <Text>{at.cause}</Text>
							{request.seal && (
								<>
									{" "}
									<Handle of={request.seal.handle} />
								</>
							)}
							, explained.
						</>
					)}{" "}
					{seal && (
						<span class="dim">
							{count(seal.tokensBefore)} → {count(seal.tokensAfter)} tokens; regret {count(seal.arithmetic.regret)} of a
							price of {count(seal.arithmetic.price)}.
						</span>
					)}
				</p>
			</div>
		</>
	);
}

function BytesAround({
	n,
	common,
	changed,
	markClass,
}: {
	n: number;
	common: string;
	changed: string;
	markClass?: string;
}): JSX.Element {
	return (
		<>
			<span class="dim">request {n}</span>
			<pre>
				<span class="same">
					<Text>{showLineEnds(common)}</Text>
				</span>
				<mark class={markClass}>
					<Text>{showLineEnds(changed)}</Text>
				</mark>
			</pre>
		</>
	);
}

/** Makes line ends visible: the break may lie inside one. */
function showLineEnds(text: string): string {
	return text.replaceAll("\\n", "⏎").replaceAll("\n", "⏎");
}

function PrefixKept({ view: { before, request } }: Viewed): JSX.Element {
	const { reported } = request;
	return (
		<div class="note plain ok">
			<p>
				<b>{before ? "Nothing that was sent before has changed." : "The first request: nothing to compare it with."}</b>{" "}
				{reported ? `${count(reported.read)} tokens read, ${count(reported.write + reported.input)} new.` : ""}
			</p>
		</div>
	);
}

function SeedSections({ view: { sections } }: Viewed): JSX.Element {
	const isFirst = sections.every(({ before }) => before === null);
	return (
		<div class="sec">
			<header>
				<h2>The new seed, part by part</h2>
				<span class="dim">{isFirst ? "the first of this session" : "compared with the seed before"}</span>
			</header>
			<SmallTable
				columns={[
					{ title: "Part" },
					{ title: "Before", width: 70, num: true },
					{ title: "Now", width: 70, num: true },
					{ title: "Did not fit", width: 80, num: true },
				]}
			>
				{sections.map(({ name, before, tokens, left }) => (
					<tr key={name}>
						<td>
							<Item swatch="seed" name={name} />
						</td>
						<td class="num dim">{before === null ? "–" : count(before)}</td>
						<td class="num">{count(tokens)}</td>
						<td class="num dim">{left || ""}</td>
					</tr>
				))}
			</SmallTable>
		</div>
	);
}

function Envelope({ view: { request } }: Viewed): JSX.Element {
	return (
		<div class="sec">
			<header>
				<h2>Envelope as sent</h2>
			</header>
			<SmallTable
				columns={[
					{ title: "Segment" },
					{ title: "Tokens", width: 80, num: true },
					{ title: "Bytes", width: 80, num: true },
					{ title: "Scope", width: 90 },
				]}
			>
				{request.segments.map(({ name, tokens, bytes }) => (
					<tr key={name}>
						<td>
							<Swatch of={name} /> {name}
						</td>
						<td class="num">{count(tokens)}</td>
						<td class="num dim">{count(bytes)}</td>
						<td class="dim">{bytes === 0 ? "empty" : name === "uncached" ? "uncached" : "cached"}</td>
					</tr>
				))}
			</SmallTable>
		</div>
	);
}

/** A table that always shows all its columns and whose rows do not open. */
function SmallTable({
	columns,
	children,
}: {
	columns: readonly { readonly title: string; readonly width?: number; readonly num?: boolean }[];
	children: ComponentChildren;
}): JSX.Element {
	return (
		<div class="tw in">
			<table>
				<thead>
					<tr>
						{columns.map(({ title, width, num }) => (
							<th
								key={title}
								scope="col"
								class={num ? "num" : undefined}
								style={width === undefined ? undefined : { width: `${width}px` }}
							>
								{title}
							</th>
						))}
					</tr>
				</thead>
				<tbody>{children}</tbody>
			</table>
		</div>
	);
}
