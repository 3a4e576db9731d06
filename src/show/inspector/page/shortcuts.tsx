import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
	["j k", "next, previous row"],
	["Enter", "open the row"],
	["b", "back"],
	["Esc", "close"],
	["/ or Ctrl K", "search everything"],
	["g then n r t h w m p s", "go to a page"],
	["[ ]", "request before, after"],
	["d", "hide what is the same"],
	["y", "copy a link to exactly this"],
	["t", "light, dark"],
	["?", "these keys"],
];

export function Keys({ close }: { close: () => void }): JSX.Element {
	const box = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => box.current?.showModal(), []);
	return (
		<dialog ref={box} class="keys" aria-label="Keys" onClose={close} onClick={() => box.current?.close()}>
			<div class="sec">
				<header>
					<h2>Keys</h2>
				</header>
				<dl class="kv">
					{KEYS.flatMap(([keys, what]) => [
						<dt key={keys}>
							{keys.split(" ").map((key, at) =>
								/^(or|then)$/.test(key) ? (
									` ${key} `
								) : (
									<span key={at}>
										<kbd>{key}</kbd>{" "}
									</span>
								),
							)}
						</dt>,
						<dd key={what}>{what}</dd>,
					])}
				</dl>
			</div>
		</dialog>
	);
}
