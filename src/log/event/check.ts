/**
 * Checks a payload against its type's schema: for every event on its way into the log and again for every one that is read,
 * because another version, an archive or a person may have written it. Each schema becomes a function once.
 */
import { EVENT_SCHEMAS } from "./schema.ts";
import type { EventRecord } from "./types.ts";

/** The newest version of any type that this build reads. */
const NEWEST_VERSION = 1;

/** The fault of a value, as in "command must be a text"; undefined: none. */
type PayloadCheck = (value: unknown, name: string) => string | undefined;

interface Schema {
	readonly type?: string;
	readonly const?: unknown;
	readonly anyOf?: readonly Schema[];
	readonly items?: Schema | readonly Schema[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
}

const CHECKS: ReadonlyMap<string, PayloadCheck> = new Map(
	Object.entries(EVENT_SCHEMAS).map(([type, schema]) => [type, compile(schema as unknown as Schema)]),
);

/** False: another version of weft wrote it. It is kept, skipped and counted. */
export function isKnown({ type, v }: Pick<EventRecord, "type" | "v">): boolean {
	return v <= NEWEST_VERSION && CHECKS.has(type);
}

/** The fault of a payload; undefined: none, or its type or version is unknown. */
export function wrongIn(type: string, v: number, payload: unknown): string | undefined {
	return v <= NEWEST_VERSION ? CHECKS.get(type)?.(payload, "payload") : undefined;
}

/** The record, with the fault of its payload. */
export function checked(record: EventRecord): EventRecord {
	const wrong = wrongIn(record.type, record.v, record.payload);
	return wrong === undefined ? record : { ...record, wrong: `is malformed: ${wrong}` };
}

/** False: the record cannot be trusted. It is malformed, lost, or a newer version of a known type. */
export function isReadable(record: EventRecord): boolean {
	return record.wrong === undefined && (record.v <= NEWEST_VERSION || !CHECKS.has(record.type));
}

function compile(schema: Schema): PayloadCheck {
	if (schema.anyOf) return checkAny(schema.anyOf.map(compile), schema.anyOf.map(describe).join(" or "));
	if (schema.const !== undefined) {
		return (value, name) => (value === schema.const ? undefined : `${name} must be ${describe(schema)}`);
	}
	switch (schema.type) {
		case "string":
			return (value, name) => (typeof value === "string" ? undefined : `${name} must be a text`);
		case "integer":
			return (value, name) => (Number.isInteger(value) ? undefined : `${name} must be a whole number`);
		case "number":
			return (value, name) => (Number.isFinite(value) ? undefined : `${name} must be a number`);
		case "boolean":
			return (value, name) => (typeof value === "boolean" ? undefined : `${name} must be true or false`);
		case "null":
			return (value, name) => (value === null ? undefined : `${name} must be null`);
		case "array":
			return checkArray(schema.items);
		case "object":
			return checkObject(schema);
		default:
			return () => undefined;
	}
}

function checkAny(checks: readonly PayloadCheck[], wanted: string): PayloadCheck {
	return (value, name) =>
		checks.some((check) => check(value, name) === undefined) ? undefined : `${name} must be ${wanted}`;
}

function checkArray(items: Schema["items"]): PayloadCheck {
	if (isTuple(items)) {
		const checks = items.map(compile);
		return (value, name) => {
			if (!Array.isArray(value) || value.length !== checks.length) {
				return `${name} must be a list of ${checks.length}`;
			}
			return firstWrong(checks, (check, at) => check(value[at], `${name}[${at}]`));
		};
	}
	const check = compile(items ?? {});
	return (value, name) => {
		if (!Array.isArray(value)) return `${name} must be a list`;
		return firstWrong(value, (item: unknown, at) => check(item, `${name}[${at}]`));
	};
}

function firstWrong<Item>(items: readonly Item[], check: (item: Item, at: number) => string | undefined) {
	for (const [at, item] of items.entries()) {
		const wrong = check(item, at);
		if (wrong !== undefined) return wrong;
	}
	return undefined;
}

/** Ignores fields that the schema does not name: a later version may have added them. */
function checkObject({ properties = {}, required = [] }: Schema): PayloadCheck {
	const fields = Object.entries(properties).map(([key, schema]) => ({
		key,
		check: compile(schema),
		// A field that may be anything may also be missing: undefined does not survive JSON.
		isRequired: required.includes(key) && !isAnything(schema),
	}));
	return (value, name) => {
		if (value === null || typeof value !== "object" || Array.isArray(value)) return `${name} must be an object`;
		const prefix = name === "payload" ? "" : `${name}.`;
		for (const { key, check, isRequired } of fields) {
			const given: unknown = (value as Readonly<Record<string, unknown>>)[key];
			const wrong =
				given !== undefined ? check(given, prefix + key) : isRequired ? `${prefix}${key} is missing` : undefined;
			if (wrong !== undefined) return wrong;
		}
		return undefined;
	};
}

function isAnything({ type, anyOf, const: value }: Schema): boolean {
	return type === undefined && anyOf === undefined && value === undefined;
}

function isTuple(items: Schema["items"]): items is readonly Schema[] {
	return Array.isArray(items);
}

function describe(schema: Schema): string {
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	const words: Readonly<Record<string, string>> = { string: "a text", integer: "a whole number", object: "an object" };
	return words[schema.type ?? ""] ?? schema.type ?? "anything";
}
