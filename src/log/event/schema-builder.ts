/**
 * The functions of TypeBox that our schemas use, without loading TypeBox: every append checks its event, and a hook must start
 * as fast as bare Node. They return the same schemas with the same types.
 */
import type TypeBox from "typebox";

type SchemaWord = "Array" | "Boolean" | "Integer" | "Literal" | "Null" | "Number" | "Object" | "Optional";
type MoreSchemaWord = "String" | "Tuple" | "Union" | "Unknown";
type SchemaFields = Readonly<Record<string, object>>;

const builder = {
	Array: (items: object, options?: object) => made("Array", { type: "array", items, ...options }),
	Boolean: (options?: object) => made("Boolean", { type: "boolean", ...options }),
	Integer: (options?: object) => made("Integer", { type: "integer", ...options }),
	Literal: (value: string) => made("Literal", { type: "string", const: value }),
	Null: () => made("Null", { type: "null" }),
	Number: (options?: object) => made("Number", { type: "number", ...options }),
	Object: (properties: SchemaFields, options?: object) => {
		const required = Object.entries(properties).flatMap(([key, schema]) => (OPTIONAL in schema ? [] : [key]));
		return made("Object", { type: "object", required, properties, ...options });
	},
	Optional: (schema: { readonly "~kind": string }) => mark(made(schema["~kind"], { ...schema }), OPTIONAL, true),
	String: (options?: object) => made("String", { type: "string", ...options }),
	Tuple: (items: readonly object[]) =>
		made("Tuple", { type: "array", additionalItems: false, items, minItems: items.length }),
	Union: (anyOf: readonly object[], options?: object) => made("Union", { anyOf, ...options }),
	Unknown: (options?: object) => made("Unknown", { ...options }),
};

const OPTIONAL = "~optional";

function made(kind: string, schema: object): object {
	return mark(schema, "~kind", kind);
}

/** Not enumerable, because TypeBox's marks are no part of the JSON Schema. */
function mark(schema: object, key: string, value: unknown): object {
	return Object.defineProperty(schema, key, { value, enumerable: false });
}

export const Type = builder as unknown as Pick<typeof TypeBox, SchemaWord | MoreSchemaWord>;
