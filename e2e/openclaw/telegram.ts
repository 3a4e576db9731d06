/**
 * Telegram's Bot API on loopback: people write to the agent by it, alone and in groups, and the host's own channel adds what it
 * knows of each sender. What the agent answers is kept by chat.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const BOT_TOKEN = "123456:local-test";
const BOT = { id: 123_456, is_bot: true, first_name: "Pip", username: "pip_bot", can_join_groups: true };
const POLL_MS = 200;
/** A picture of one pixel. */
const PICTURE = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);
/** The host transcribes no shorter recordings. */
const MIN_VOICE_CHARS = 2_048;

export interface Person {
	readonly id: number;
	readonly name: string;
	readonly username?: string;
}

export interface Group {
	/** Below zero. */
	readonly id: number;
	readonly title: string;
}

export interface Said {
	readonly reply?: { readonly from: Person; readonly text: string };
	readonly forwardedFrom?: Person;
	readonly hasPicture?: boolean;
	/** A voice message, whose words are the text. */
	readonly isSpoken?: boolean;
}

export class FakeTelegram {
	/** Texts that the agent sent, by chat. */
	readonly sent: { readonly chat: number; readonly text: string }[] = [];
	readonly methods = new Set<string>();
	/** Words of voice messages, by the id of the file. */
	readonly #spoken = new Map<string, string>();
	readonly #server: Server;
	readonly #updates: { readonly update_id: number }[] = [];
	#ids = 0;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<FakeTelegram> {
		const server = createServer();
		server.keepAliveTimeout = 0;
		const telegram = new FakeTelegram(server);
		server.on("request", (request, response) => {
			void telegram.#answer(request, response).catch(() => response.destroy());
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		return telegram;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	stop(): void {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	/** Somebody writes: to the agent alone, or in a group. */
	write(
		from: Person,
		text: string,
		group?: Group,
		{ reply, forwardedFrom, hasPicture = false, isSpoken = false }: Said = {},
	): void {
		const update_id = ++this.#ids;
		const date = Math.floor(Date.now() / 1_000);
		const sender = userOf(from);
		const chat = group
			? { id: group.id, type: "supergroup", title: group.title }
			: { id: from.id, type: "private", first_name: from.name };
		const voice = `voice-${update_id}`;
		if (isSpoken) this.#spoken.set(voice, text);
		const message = {
			message_id: update_id,
			date,
			chat,
			from: sender,
			...(hasPicture
				? { caption: text, photo: [{ file_id: "picture", file_unique_id: "picture", width: 1, height: 1 }] }
				: isSpoken
					? { voice: { file_id: voice, file_unique_id: voice, duration: 3, mime_type: "audio/ogg" } }
					: { text }),
			...(reply && {
				reply_to_message: { message_id: update_id - 1, date, chat, from: userOf(reply.from), text: reply.text },
			}),
			...(forwardedFrom && {
				forward_origin: { type: "user", date, sender_user: userOf(forwardedFrom) },
			}),
		};
		this.#updates.push({ update_id, message } as { update_id: number });
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const path = (request.url ?? "").split("?")[0]!;
		const spoken = this.#spoken.get(/voice-\d+/.exec(path)?.[0] ?? "");
		if (path.startsWith("/file/") && spoken !== undefined) {
			response.writeHead(200, { "content-type": "audio/ogg" }).end(spoken.padEnd(MIN_VOICE_CHARS));
			return;
		}
		if (path.startsWith("/file/")) {
			response.writeHead(200, { "content-type": "image/png" }).end(PICTURE);
			return;
		}
		const method = path.split("/").at(-1)!;
		this.methods.add(method);
		const given = read(Buffer.concat(chunks).toString());
		const result = await this.#result(method, given);
		response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }));
	}

	async #result(method: string, given: Record<string, unknown>): Promise<unknown> {
		const chat = Number(given["chat_id"]);
		switch (method) {
			case "getMe":
				return BOT;
			case "getWebhookInfo":
				return { url: "", has_custom_certificate: false, pending_update_count: 0 };
			case "getFile": {
				const file = String(given["file_id"]);
				if (this.#spoken.has(file))
					return { file_id: file, file_unique_id: file, file_size: MIN_VOICE_CHARS, file_path: `voice/${file}.ogg` };
				return { file_id: "picture", file_unique_id: "picture", file_path: "photos/picture.png" };
			}
			case "getChat":
				return { id: chat, type: chat < 0 ? "supergroup" : "private" };
			case "getChatMember":
				return { status: "administrator", user: BOT };
			case "getUpdates": {
				const from = Number(given["offset"] ?? 0);
				const until = Date.now() + Math.min(Number(given["timeout"] ?? 0) * 1_000, 5_000);
				for (;;) {
					const found = this.#updates.filter(({ update_id }) => update_id >= from);
					if (found.length > 0 || Date.now() > until) return found;
					await new Promise((done) => setTimeout(done, POLL_MS));
				}
			}
			case "sendMessage":
			case "editMessageText": {
				const text = String(given["text"]);
				if (method === "sendMessage") this.sent.push({ chat, text });
				return { message_id: ++this.#ids, date: 1_790_000_000, chat: { id: chat, type: "private" }, text };
			}
			default:
				return true;
		}
	}
}

function userOf({ id, name, username }: Person) {
	return { id, is_bot: false, first_name: name, ...(username !== undefined && { username }) };
}

function read(text: string): Record<string, unknown> {
	try {
		return JSON.parse(text || "{}");
	} catch {
		return Object.fromEntries(new URLSearchParams(text));
	}
}
