/** Test runs among the commands that a message tells of, as events beside them; for live sessions and recorded ones alike. */
import type { Payload } from "../event/types.ts";
import type { MessageView } from "../message/view.ts";
import type { DerivedEvent } from "../session/derive.ts";
import { testStatus } from "../work/failure/test-status.ts";

/** Beyond this a command line or an output is not looked at: no test runner says its result so late. */
const MAX_OUTPUT_CHARS = 200_000;

interface TestStatusEvent extends Pick<DerivedEvent, "entry" | "cause"> {
	readonly type: "TestStatus";
	readonly payload: Payload<"TestStatus">;
}

export function withTestStatus(
	view: MessageView,
	events: readonly DerivedEvent[],
	cwd: string | undefined,
): (DerivedEvent | TestStatusEvent)[] {
	return events.flatMap((event): (DerivedEvent | TestStatusEvent)[] => {
		if (event.type !== "CommandRun") return [event];
		const { command, exit, callId } = event.payload;
		const result = view.blocks.find((block) => block.kind === "result" && block.callId === callId);
		const output = (result?.kind === "result" ? result.text : view.command?.output) ?? "";
		const bounded = output.length > MAX_OUTPUT_CHARS ? output.slice(-MAX_OUTPUT_CHARS) : output;
		const payload = testStatus({ command, exit, output: bounded, ...(cwd === undefined ? {} : { cwd }) });
		const { entry, cause } = event;
		return payload === null ? [event] : [event, { type: "TestStatus", entry, cause, payload }];
	});
}
