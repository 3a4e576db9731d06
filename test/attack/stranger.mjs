/** A program of another account: does what its job says and prints what came of it as JSON. It imports nothing of weft. */
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";

const job = JSON.parse(process.argv[2]);
const JOBS = { ask, bind, crowd, hold, leave, meddle, plant, reach };
console.log(JSON.stringify(await JOBS[job.kind](job)));
process.exit(0);

/** The status of each request, or the error's code; and everything that was answered. */
async function ask({ port, requests, localAddress, localPort }) {
	const answers = requests.map(
		({ path, headers, body, method = "POST" }) =>
			new Promise((done) => {
				const asked = request(
					{ host: "127.0.0.1", port, path, method, headers, localAddress, localPort },
					(response) => {
						response.toArray().then(
							(parts) => done([response.statusCode, parts.join("")]),
							() => done([response.statusCode, ""]),
						);
					},
				);
				asked.on("error", (error) => done([error.code, ""]));
				asked.end(body);
			}),
	);
	return await Promise.all(answers);
}

/** How often the port could be taken. */
async function bind({ port, ms }) {
	const until = Date.now() + ms;
	let [tries, taken] = [0, 0];
	while (Date.now() < until) {
		tries++;
		await new Promise((done) => {
			const server = createServer();
			server.once("error", () => done());
			server.listen(port, "127.0.0.1", () => {
				taken++;
				server.close(() => done());
			});
		});
	}
	return { tries, taken };
}

/** Opens connections at once and keeps them; opens another for each that is closed. How many were opened and closed. */
async function crowd({ port, count, ms, text }) {
	const until = Date.now() + ms;
	let [opened, closed] = [0, 0];
	const join = () => {
		opened++;
		const socket = connect(port, "127.0.0.1", () => socket.write(text)).resume();
		socket.on("error", () => {});
		socket.once("close", () => {
			closed++;
			if (Date.now() < until) setTimeout(join, 50);
		});
	};
	for (let n = 0; n < count; n++) join();
	await new Promise((done) => setTimeout(done, ms + 1_000));
	return { opened, closed };
}

/** Sends the beginning of large requests, and stays. */
async function hold({ port, path, count, bytes, ms }) {
	const part = Buffer.alloc(1 << 20, "[");
	for (let n = 0; n < count; n++) {
		const socket = connect(port, "127.0.0.1");
		socket.on("error", () => {});
		socket.write(
			`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${bytes + 1}\r\n\r\n`,
		);
		for (let sent = 0; sent < bytes; sent += part.length) socket.write(part);
	}
	await new Promise((done) => setTimeout(done, ms));
	return { count };
}

/** Sends whole requests and closes at once: the system soon forgets whose socket it was. */
async function leave({ port, text, count }) {
	for (let n = 0; n < count; n++) {
		await new Promise((done) => {
			const socket = connect(port, "127.0.0.1", () => socket.write(text, () => socket.destroy()));
			socket.on("error", () => {});
			socket.once("close", done);
		});
	}
	return { count };
}

/** What comes of connecting to sockets in the file system, and of reading, removing and planting files beside them. */
async function reach({ folder, socket }) {
	const connected = await new Promise((done) => {
		const stream = connect(`${folder}/${socket}`, () => done("connected"));
		stream.on("error", (error) => done(error.code));
	});
	const tried = attempts([
		() => readdirSync(folder),
		() => rmSync(`${folder}/${socket}`),
		() => writeFileSync(`${folder}/x`, ""),
	]);
	return [connected, ...tried];
}

/** What comes of reading and writing the streams, the memory and the environment of another's process, and of ending it. */
async function meddle({ pid, paths }) {
	const own = `/proc/${pid}`;
	return attempts([
		...[0, 1, 2].flatMap((stream) => [
			() => readFileSync(`${own}/fd/${stream}`),
			() => writeFileSync(`${own}/fd/${stream}`, "{}\n"),
		]),
		() => readdirSync(`${own}/fd`),
		() => readFileSync(`${own}/environ`),
		() => readFileSync(`${own}/mem`),
		() => writeFileSync(`${own}/mem`, "x"),
		() => readlinkSync(`${own}/cwd`),
		() => process.kill(pid, "SIGKILL"),
		// A signal that makes Node listen for a debugger.
		() => process.kill(pid, "SIGUSR1"),
		...paths.flatMap((path) => [() => readdirSync(path), () => writeFileSync(`${path}/x`, "")]),
	]);
}

/** The code of each error, or `done`. */
function attempts(all) {
	return all.map((attempt) => {
		try {
			attempt();
			return "done";
		} catch (error) {
			return error.code;
		}
	});
}

/** Listens in the place of another's socket. How many came. */
async function plant({ path, ms }) {
	let came = 0;
	const server = createServer((socket) => {
		came++;
		socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
	});
	await new Promise((done) => server.listen(path, done));
	await new Promise((done) => setTimeout(done, ms));
	server.close();
	return { came };
}
