/** Payloads that are not what their type says, made from its schema: every field missing, null, of another kind, too deep. */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { EVENT_SCHEMAS } from "../../src/log/event/schema.ts";
import type { AnyPayload, KnownType } from "../../src/log/event/types.ts";

const LEVELS = 2_000;

export const KNOWN_TYPES = Object.keys(EVENT_SCHEMAS) as KnownType[];

/** A payload that is what its type says. */
export function rightPayload(type: KnownType): AnyPayload {
	return JSON.parse(JSON.stringify(Value.Create(EVENT_SCHEMAS[type]), (_, value) => value ?? null)) as AnyPayload;
}

/** One field of a right payload is wrong in each, at whatever depth; some may be right after all (null where it may be). */
export function oddPayloads(type: KnownType): AnyPayload[] {
	const right = rightPayload(type);
	return [{}, ...odd(EVENT_SCHEMAS[type] as unknown as Schema, right).map((value) => value as AnyPayload)].filter(
		isObject,
	);
}

/** A value of so many levels. */
export function nested(levels = LEVELS): unknown {
	let value: unknown = "the innermost";
	for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
	return value;
}

interface Schema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema | readonly Schema[];
}

function odd(schema: Schema, right: unknown): unknown[] {
	const strange: unknown[] = [null, 5, -0.5, "x", true, [], {}, [[null]], { __proto__: null, length: 3 }, nested()];
	const inner: unknown[] = [];
	for (const [key, each] of Object.entries(schema.properties ?? {})) {
		const { [key]: given, ...rest } = right as AnyPayload;
		inner.push(rest);
		const start = given ?? Value.Create(each as unknown as TSchema);
		for (const value of odd(each, start)) inner.push({ ...(right as AnyPayload), [key]: value });
	}
	if (schema.items && !Array.isArray(schema.items)) {
		const item = schema.items as Schema;
		for (const value of odd(item, Value.Create(item as unknown as TSchema))) inner.push([value]);
	}
	return [...strange, ...inner];
}

function isObject(value: unknown): value is AnyPayload {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}
