/**
 * The handlers of a project: those that code adds, and those of the files that the settings name, loaded when first needed.
 * The files are code of the user's project: the caller names them only where the project is trusted. A file that cannot be
 * loaded is reported and skipped, unless it redacts: then no request may be sent.
 */

import { existsSync } from "node:fs";
import { basename, isAbsolute, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { type HandlerApi, type HandlerOptions, Handlers } from "./handler.ts";

export interface ProjectHandlersOptions {
	/** None where the project is not trusted. */
	readonly files: readonly string[];
	/** The base of relative paths. */
	readonly folder: string;
	/** A file that could not be loaded; the others still count. */
	readonly onProblem: (message: string) => void;
}

export class ProjectHandlers {
	readonly handlers = new Handlers();
	readonly #options: ProjectHandlersOptions;
	#loading: Promise<Handlers> | undefined;

	constructor(options: ProjectHandlersOptions) {
		this.#options = options;
	}

	/** All of them; the files are loaded once. */
	ready(): Promise<Handlers> {
		this.#loading ??= this.#load();
		return this.#loading;
	}

	async #load(): Promise<Handlers> {
		const { files, folder, onProblem } = this.#options;
		const { problems } = await loadHandlers(files, folder, this.handlers);
		for (const { message } of problems) onProblem(message);
		return this.handlers;
	}
}

export interface LoadedHandlers {
	/** Paths as the settings name them. */
	readonly loaded: readonly string[];
	readonly problems: readonly { readonly file: string; readonly message: string }[];
}

/** `folder`: the base of relative paths. */
export async function loadHandlers(
	files: readonly string[],
	folder: string,
	handlers: Handlers,
): Promise<LoadedHandlers> {
	const loaded: string[] = [];
	const problems: { file: string; message: string }[] = [];
	for (const file of files) {
		const path = resolve(folder, file);
		const api = handlers.api(nameOf(path, folder));
		const problem = await loadFile(file, path, api);
		if (problem === undefined) loaded.push(file);
		else {
			problems.push({ file, message: problem });
			if (isRedactor(path)) stopAll(api, problem);
		}
	}
	return { loaded, problems };
}

/** The name of a handler file, the same on every machine. */
function nameOf(path: string, folder: string): string {
	const inside = relative(folder, path);
	return inside.startsWith("..") || isAbsolute(inside) ? basename(path) : inside.replaceAll("\\", "/");
}

const MAX_SOURCE_BYTES = 4 * 1024 * 1024;

/** Its text says so: a file that cannot be loaded has not. */
function isRedactor(path: string): boolean {
	const source = readBounded(path, MAX_SOURCE_BYTES);
	return source.kind === "bytes" && /\bredacts\b|["'`]stop["'`]/.test(source.bytes.toString("utf8"));
}

/** In place of handlers without which nothing may be sent. */
function stopAll(api: HandlerApi, problem: string): void {
	const fail = (): never => {
		throw new EngineError("refused", problem);
	};
	api.on("context", fail, { onFailure: "stop" });
	api.on("message", fail, { onFailure: "stop" });
}

/** undefined: it is loaded; else what is wrong with it. */
async function loadFile(file: string, path: string, api: HandlerApi): Promise<string | undefined> {
	if (!existsSync(path)) return `handlers: there is no file ${file} (${path}).`;
	const added: (() => void)[] = [];
	const collecting: HandlerApi = {
		on(type: "context" | "message", handler: never, options?: HandlerOptions) {
			if (type !== "context" && type !== "message") {
				throw new Error(`on() takes "context" or "message", not ${JSON.stringify(type)}`);
			}
			if (typeof handler !== "function") throw new Error(`on("${type}") takes a function`);
			const off = api.on(type as "context", handler, options);
			added.push(off);
			return off;
		},
	};
	try {
		const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
		if (typeof module.default !== "function") return `handlers: ${file} must export a function as its default.`;
		await (module.default as (api: HandlerApi) => unknown)(collecting);
		return undefined;
	} catch (error) {
		// Remove the handlers added before the failure: a file counts wholly or not at all.
		for (const off of added) off();
		return `handlers: ${file} cannot be loaded: ${errorText(error)}`;
	}
}
