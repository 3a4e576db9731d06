/** A table with rows that open on click. A long table renders only the rows on the screen. */
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go } from "./address.ts";
import { cls } from "./parts.tsx";

export interface TableColumn {
	readonly title: string;
	readonly width?: number | undefined;
	readonly num?: boolean;
	/** `m`: only on a large screen; `s`: not on a phone. */
	readonly hide?: "m" | "s";
	readonly tip?: string;
	/** Long text wraps instead of being cut. */
	readonly wrap?: boolean;
}

export interface TableRow {
	readonly key: string;
	readonly href?: string;
	readonly selected?: boolean;
	readonly off?: boolean;
	readonly cells?: readonly ComponentChildren[];
	/** A heading across all columns. */
	readonly group?: ComponentChildren;
	/** Any content across all columns. */
	readonly wide?: ComponentChildren;
}

type ScreenSize = "l" | "m" | "s";

function useScreenSize(): ScreenSize {
	const read = (): ScreenSize => (innerWidth <= 860 ? "s" : innerWidth <= 1180 ? "m" : "l");
	const [size, set] = useState(read);
	useEffect(() => {
		const look = () => set(read());
		addEventListener("resize", look);
		return () => removeEventListener("resize", look);
	}, []);
	return size;
}

/** A longer table renders only what is on the screen. */
const MAX_RENDERED_ROWS = 80;
const OVERSCAN_ROWS = 20;

export function Table({
	columns: all,
	rows,
	label,
	onEnd,
}: {
	columns: readonly TableColumn[];
	rows: readonly TableRow[];
	label: string;
	onEnd?: (() => void) | undefined;
}): JSX.Element {
	const body = useRef<HTMLTableSectionElement>(null);
	const size = useScreenSize();
	const columns = all
		.map((column, at) => ({ ...column, at }))
		.filter(({ hide }) => !(hide === "m" && size !== "l") && !(hide === "s" && size === "s"))
		.map((column) => ({ ...column, width: columnWidth(column, rows) }));
	const { isVirtual, from, to } = useVisibleRows(body, rows.length, onEnd);
	const shown = rows.slice(from, to);
	const height = rowHeight();
	return (
		<table aria-label={label} aria-rowcount={isVirtual ? rows.length : undefined}>
			<thead>
				<tr>
					{columns.map(({ title, width, num, tip }) => (
						<th
							key={title}
							scope="col"
							class={cls(num && "num")}
							style={width === undefined ? {} : { width: `${width}px` }}
							title={tip}
						>
							{title === "" ? <span class="sr">bar</span> : title}
						</th>
					))}
				</tr>
			</thead>
			<tbody ref={body}>
				{from > 0 && (
					<tr class="gap" aria-hidden="true">
						<td colSpan={columns.length} style={{ height: `${from * height}px` }} />
					</tr>
				)}
				{shown.map((row) => (
					<BodyRow key={row.key} row={row} columns={columns} />
				))}
				{to < rows.length && (
					<tr class="gap" aria-hidden="true">
						<td colSpan={columns.length} style={{ height: `${(rows.length - to) * height}px` }} />
					</tr>
				)}
			</tbody>
		</table>
	);
}

/** A number is never cut: its column is at least as wide as its longest one. */
function columnWidth({ width, num, at }: TableColumn & { readonly at: number }, rows: readonly TableRow[]) {
	if (!num || width === undefined) return width;
	const longest = rows.reduce((most, { cells }) => {
		const cell = cells?.[at];
		return typeof cell === "string" ? Math.max(most, textWidth(cell)) : most;
	}, 0);
	return Math.max(width, Math.ceil(longest) + CELL_PADDING);
}

const [DIGIT_WIDTH, COMMA_WIDTH, CELL_PADDING] = [8.3, 4.5, 26];

/** Of the widest font that browsers take, in pixels. */
function textWidth(text: string): number {
	return Array.from(text).reduce((sum, sign) => sum + (sign === "," || sign === "." ? COMMA_WIDTH : DIGIT_WIDTH), 0);
}

/** The range of rows to render, updated while the reader scrolls. Calls `onEnd` when the last row comes near. */
function useVisibleRows(
	body: RefObject<HTMLTableSectionElement | null>,
	count: number,
	onEnd: (() => void) | undefined,
): { readonly isVirtual: boolean; readonly from: number; readonly to: number } {
	const isVirtual = count > MAX_RENDERED_ROWS;
	const [range, setRange] = useState<readonly [number, number]>([0, 50]);
	useLayoutEffect(() => {
		if (!isVirtual && !onEnd) return;
		let frame = 0;
		const look = () => {
			frame = 0;
			const box = body.current?.getBoundingClientRect();
			if (!box) return;
			const height = rowHeight();
			const first = Math.max(0, Math.floor(-box.top / height) - OVERSCAN_ROWS);
			const last = Math.ceil((innerHeight - box.top) / height) + OVERSCAN_ROWS;
			setRange((old) =>
				Math.abs(old[0] - first) < 8 && Math.abs(old[1] - last) < 8 && last <= old[1] ? old : [first, last],
			);
			if (onEnd && last > count) onEnd();
		};
		const onScroll = () => {
			frame ||= requestAnimationFrame(look);
		};
		look();
		document.addEventListener("scroll", onScroll, { capture: true, passive: true });
		addEventListener("resize", onScroll);
		return () => {
			cancelAnimationFrame(frame);
			document.removeEventListener("scroll", onScroll, { capture: true });
			removeEventListener("resize", onScroll);
		};
	}, [isVirtual, count, onEnd]);
	const [from, to] = isVirtual ? range : [0, count];
	return { isVirtual, from, to };
}

export function rowHeight(): number {
	return innerWidth <= 860 ? 35 : 29;
}

function BodyRow({
	row,
	columns,
}: {
	row: TableRow;
	columns: readonly (TableColumn & { readonly at: number })[];
}): JSX.Element {
	if (row.group !== undefined)
		return (
			<tr class="grp">
				<td colSpan={columns.length}>{row.group}</td>
			</tr>
		);
	if (row.wide !== undefined)
		return (
			<tr class="wide">
				<td colSpan={columns.length}>{row.wide}</td>
			</tr>
		);
	const open = row.href;
	return (
		<tr
			class={cls(row.off && "off", row.selected && "on")}
			data-row={open}
			tabIndex={open ? (row.selected ? 0 : -1) : undefined}
			aria-current={row.selected ? "true" : undefined}
			onClick={open ? (event) => !(event.target as Element).closest("a,button") && go(open) : undefined}
		>
			{columns.map(({ title, num, wrap, at }) => (
				<td key={title} class={cls(num && "num", wrap && "wrap")}>
					{row.cells?.[at]}
				</td>
			))}
		</tr>
	);
}
