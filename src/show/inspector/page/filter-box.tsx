import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { go, href } from "./address.ts";

const TYPING_MS = 150;

/** A text field that puts its words into the address as `q` shortly after they are typed. */
export function FilterBox({ q, label, placeholder }: { q: string; label: string; placeholder: string }): JSX.Element {
	const [typed, setTyped] = useState(q);
	useEffect(() => setTyped(q), [q]);
	const timer = useRef(0);
	const type = (text: string) => {
		setTyped(text);
		clearTimeout(timer.current);
		timer.current = window.setTimeout(() => go(href({ set: { q: text } }), { replace: true }), TYPING_MS);
	};
	return (
		<input
			aria-label={label}
			placeholder={placeholder}
			value={typed}
			onInput={(event) => type(event.currentTarget.value)}
		/>
	);
}
