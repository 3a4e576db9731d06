/**
 * Node's HTTP. An `import` of it takes 47 ms of processor time more than this: it reads all names of the module, and those of
 * WebSocket load Node's whole fetch.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
