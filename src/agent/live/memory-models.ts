/**
 * Decides which of the models that an agent lends may write memory, and asks the user once where the settings leave it open. Without
 * an answer no model is asked. Jobs stop for the day when they have cost `memoryBudget`.
 */
import type { SideModel } from "../../base/sidecar/ask.ts";
import { readPriceList } from "../../base/tokens/price-file.ts";
import { type Prices, pricesOf } from "../../base/tokens/prices.ts";
import type { Engine } from "../../engine.ts";
import type { Settings } from "../../settings/keys.ts";
import { dollarsToday, expectedDollarsPerDay } from "../../state/memory/job-cost.ts";

export interface LentModels {
	/** Those of `compactionModels` that the user has access to: small ones. */
	readonly named: readonly SideModel[];
	/** True: the user set them; the defaults do not count. */
	readonly isChosen: boolean;
	/** The session's own: large, so a turn never waits for it. */
	readonly own: SideModel | undefined;
	/** Its prices, where the agent knows them. */
	readonly ownPrices?: Prices | undefined;
	/** The session's own, asked with all that it has in the provider's cache. Undefined: the agent does not lend that. */
	readonly cached?: SideModel | undefined;
}

/** The question to the user, in plain words. */
export interface ModelQuestion {
	readonly text: string;
	readonly yes: string;
	readonly no: string;
}

/** The event that says that the user has seen the notice. */
const NOTICE = "memory-models-notice";

type ModelsSetting = Settings["memoryModels"];

export class MemoryModels {
	readonly #engine: Engine;
	readonly #lent: () => LentModels;
	readonly #now: () => number;
	#answer: ModelsSetting | undefined;
	#isAsked = false;

	constructor(engine: Engine, lent: () => LentModels, now: () => number) {
		this.#engine = engine;
		this.#lent = lent;
		this.#now = now;
	}

	get choice(): ModelsSetting {
		return this.#answer ?? this.#engine.settings.memoryModels;
	}

	/** For jobs in the background, tried in order. */
	background(): readonly SideModel[] {
		const { named, own } = this.#lent();
		const isNew = own !== undefined && !named.some(({ name }) => name === own.name);
		return this.#withinBudget([...this.#named(), ...(this.choice === "session" && isNew ? [own] : [])]);
	}

	/** For a job that a turn waits for. */
	urgent(): readonly SideModel[] {
		return this.#withinBudget(this.#named());
	}

	/** For the note at a seal. Undefined: the user has not allowed it, the agent does not lend it, or today's money is spent. */
	note(): SideModel | undefined {
		const { cached } = this.#lent();
		return cached && this.choice === "session" ? this.#withinBudget([cached])[0] : undefined;
	}

	/** Undefined: it is answered, it was asked already, or there is no model to ask about. */
	question(env: NodeJS.ProcessEnv): ModelQuestion | undefined {
		const offer = this.#offer(env);
		return (
			offer && {
				text: `May weft use ${offer.model} to write this project's memory? It reads what you and the agent said, in the background, and notes decisions, rules and what is open. ${offer.note}${offer.cost} Without it weft writes memory from its record alone. weft asks only once.`,
				yes: "Yes, use it",
				no: "No, without a model",
			}
		);
	}

	/** The same where the agent has no dialog: said once in a project. */
	notice(env: NodeJS.ProcessEnv): string | undefined {
		const { log, record } = this.#engine;
		const offer = log.readOnly ? undefined : this.#offer(env);
		if (!offer) return undefined;
		// The log holds an entry once: the second time nothing is added.
		if (record([{ type: "Custom", entry: NOTICE, payload: { name: NOTICE } }]).added === 0) return undefined;
		return `${offer.model} could write this project's memory, with your key. ${offer.cost} To allow it: weft config set memoryModels session. Without it weft writes memory from its record alone. You see this only once.`;
	}

	/** The model that would be asked first, and what it costs. */
	#offer(env: NodeJS.ProcessEnv): { readonly model: string; readonly cost: string; readonly note: string } | undefined {
		if (this.#isAsked || this.choice !== "auto" || !this.#engine.settings.memory || isUnattended(env)) return undefined;
		const { named, own, ownPrices, cached } = this.#lent();
		const model = named[0] ?? own;
		if (!model) return undefined;
		this.#isAsked = true;
		const { prices: lines, memoryBudget } = this.#engine.settings;
		const listed = readPriceList(lines);
		const prices = (model === own ? ownPrices : undefined) ?? pricesOf(model.name, { listed });
		const cents = Math.min(memoryBudget, Math.max(1, Math.round(expectedDollarsPerDay(prices) * 100)));
		const assumed = prices.assumed ? ", if its price is usual" : "";
		const cost = `Expected: about ${centsOf(cents)} on a day of work${assumed}, never more than ${centsOf(memoryBudget)} (setting memoryBudget).`;
		const note = cached ? `When old messages leave the prompt, ${cached.name} also writes itself a short note. ` : "";
		return { model: model.name, cost, note };
	}

	answer(isYes: boolean): ModelsSetting {
		this.#answer = isYes ? "session" : "none";
		return this.#answer;
	}

	#named(): readonly SideModel[] {
		const { named, isChosen } = this.#lent();
		return this.choice === "session" || (this.choice === "configured" && isChosen) ? named : [];
	}

	#withinBudget(models: readonly SideModel[]): readonly SideModel[] {
		if (models.length === 0) return models;
		const { log, settings } = this.#engine;
		const spent = dollarsToday(log, this.#now(), readPriceList(settings.prices));
		return spent * 100 < settings.memoryBudget ? models : [];
	}
}

function centsOf(cents: number): string {
	return cents === 1 ? "1 cent" : `${cents} cents`;
}

/** No person is there to answer. */
function isUnattended(env: NodeJS.ProcessEnv): boolean {
	return !["", "0", "false", undefined].includes(env["CI"]);
}
