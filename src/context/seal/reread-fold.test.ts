import { test } from "node:test";
import { assistant, event, fileChanged, fileRead, seal, toolCalled, toolResult } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { hiddenPrice, type RereadState, readAgain, rereadFold } from "./reread-fold.ts";

const read = (path: string) => fileRead(path, { from: 1, to: 100 });
const messages = Array.from({ length: 30 }, () => [assistant("done"), toolCalled("bash")]).flat();
const talk = Array.from({ length: 30 }, () => assistant("Indeed."));
const tokensOfFirstSeal = ({ seals: [first] }: RereadState) => first!.tokens;

test("a read counts against a seal when the file had been read before it and did not change since", () => {
	given(read("a"), read("b"), fileChanged("b"), seal(), read("a"), read("b"), read("c"), ...messages)
		.when(rereadFold, tokensOfFirstSeal)
		.then(1_200);
});

test("only the first reading again counts, and only soon after the seal", () => {
	given(read("a"), seal(), read("a"), read("a"), ...messages)
		.when(rereadFold, tokensOfFirstSeal)
		.then(1_200);
	given(read("a"), seal(), ...messages, read("a"))
		.when(rereadFold, tokensOfFirstSeal)
		.then(0);
});

test("an edit that fails soon after a seal counts against it", () => {
	const failed = toolResult("edit", "c", { status: "error" });
	given(seal(), failed, toolResult("edit"), toolResult("bash", "c", { status: "error" }), ...messages, failed)
		.when(rereadFold, readAgain)
		.then({ seals: 1, files: 0, failed: 1, tokens: 4_000 });
	given(failed, seal(), ...messages)
		.when(rereadFold, readAgain)
		.then({ seals: 1, files: 0, failed: 0, tokens: 0 });
});

test("the profile's guess gives way to what was measured", () => {
	const price = (state: RereadState) => hiddenPrice(state, { read: 0.1, write: 1.25 });
	given().when(rereadFold, price).then(20_000);
	const quiet = (path: string) => [seal(), read(path), ...messages];
	given(...quiet("a"), ...quiet("b"), ...quiet("c"))
		.when(rereadFold, price)
		.then(10_000);
	// A stretch without a read says nothing of what the seal hid.
	given(read("a"), read("b"), seal(), ...messages, seal(), ...messages)
		.when(rereadFold, price)
		.then(20_000);
	// A seal whose aftermath is still open says nothing yet.
	given(seal(), event("Message")).when(rereadFold, price).then(20_000);
});

test("a seal hides more of talk, which no file can give back, until the work begins", () => {
	const price = (state: RereadState) => hiddenPrice(state, { read: 0.1, write: 1.25 });
	given(...talk.slice(0, 10))
		.when(rereadFold, price)
		.then(20_000);
	given(...talk)
		.when(rereadFold, price)
		.then(100_000);
	given(...talk, seal(), ...talk)
		.when(rereadFold, price)
		.then(100_000);
	given(...talk, toolCalled("bash"), toolCalled("bash"))
		.when(rereadFold, price)
		.then(100_000);
	given(...talk, ...messages)
		.when(rereadFold, price)
		.then(20_000);
});
