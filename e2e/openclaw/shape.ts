/** What a call is made of: the names of its parameters, to some depth, and what each is. Messages count as one thing. */

const MAX_DEPTH = 3;
/** What stands in them depends on the turn. */
const OPAQUE: ReadonlySet<string> = new Set(["messages", "config", "runtimeSettings"]);

export function shapeOf(given: object): string[] {
	return namesIn(given, "", 1).sort();
}

function namesIn(given: object, before: string, depth: number): string[] {
	return Object.entries(given).flatMap(([name, value]) => {
		if (value === undefined) return [];
		const path = `${before}${name}`;
		const isOpen = typeof value === "object" && value !== null && !OPAQUE.has(name) && depth < MAX_DEPTH;
		const isNamed = isOpen && Object.getPrototypeOf(value) === Object.prototype;
		return [`${path}: ${kindOf(value)}`, ...(isNamed ? namesIn(value, `${path}.`, depth + 1) : [])];
	});
}

function kindOf(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "list";
	return value instanceof Set ? "set" : typeof value;
}
