import { test } from "node:test";
import { assistant, fileChanged, fileRead, seal, within } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { type OpenReadingState, openReading, openReadingFold } from "./open-reading-fold.ts";

const read = (path: string, to = 100) => fileRead(path, { from: 1, to });
const reading = (state: OpenReadingState) => openReading(state, "s");

test("text counts from its reading until the file is changed", () => {
	given(read("a"), read("b")).when(openReadingFold, reading).then(2_400);
	given(read("a"), read("b"), fileChanged("a")).when(openReadingFold, reading).then(1_200);
	given(read("a"), fileChanged("a"), read("a")).when(openReadingFold, reading).then(1_200);
});

test("a long file counts for a part of it, however often it is read", () => {
	given(read("a", 5_000)).when(openReadingFold, reading).then(6_000);
	given(read("a", 400), read("a", 400)).when(openReadingFold, reading).then(6_000);
});

test("a seal ends all reading", () => {
	given(read("a"), seal()).when(openReadingFold, reading).then(0);
	given(read("a"), seal(), read("b")).when(openReadingFold, reading).then(1_200);
});

test("text that was read long ago no longer counts", () => {
	const messages = Array.from({ length: 251 }, () => assistant("done"));
	given(read("a"), ...messages, read("b"))
		.when(openReadingFold, reading)
		.then(1_200);
});

test("each session has its own", () => {
	given(read("a"), ...within({ session: "other" }, read("b"), read("c")))
		.when(openReadingFold, reading)
		.then(1_200);
	given(read("a"), ...within({ session: "other" }, seal()))
		.when(openReadingFold, reading)
		.then(1_200);
});

test("a file that the open work names counts on after its change", () => {
	const named = (state: OpenReadingState) => openReading(state, "s", (path) => path === "a");
	given(read("a"), read("b"), fileChanged("a"), fileChanged("b")).when(openReadingFold, named).then(1_200);
	given(read("a"), fileChanged("a"), seal()).when(openReadingFold, named).then(0);
});
