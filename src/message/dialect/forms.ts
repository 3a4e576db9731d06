import type { Form } from "../view.ts";
import { anthropicForm } from "./anthropic/form.ts";
import type { MessageForm } from "./form.ts";
import { openaiForm } from "./openai-chat/form.ts";
import { piForm } from "./pi/form.ts";

const FORMS: Readonly<Record<Form, MessageForm>> = { pi: piForm, anthropic: anthropicForm, openai: openaiForm };

export function formOf(name: Form): MessageForm {
	return FORMS[name];
}
