/** The handlers of a project: those that code adds, and those of the files that the settings name, loaded when first needed. */
import { Handlers } from "./handler.ts";
import { loadHandlers } from "./handler-files.ts";

export interface ProjectHandlersOptions {
	/** None where the project is not trusted. */
	readonly files: readonly string[];
	/** What relative paths start from. */
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
