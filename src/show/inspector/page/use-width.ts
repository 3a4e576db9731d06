import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of a box in pixels, kept up to date; 0 before the box is drawn. */
export function useWidth(): [box: RefObject<HTMLDivElement | null>, width: number] {
	const box = useRef<HTMLDivElement>(null);
	const [width, set] = useState(0);
	useLayoutEffect(() => {
		const measure = () => set(box.current?.clientWidth ?? 0);
		measure();
		const observer = new ResizeObserver(measure);
		if (box.current) observer.observe(box.current);
		return () => observer.disconnect();
	}, []);
	return [box, width];
}
