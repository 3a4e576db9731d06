import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** How wide a box is, in pixels, also when it changes; 0 before it is drawn. */
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
