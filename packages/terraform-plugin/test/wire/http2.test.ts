import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import fc from "fast-check";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type DebugServer, startDebugServer } from "../../src/index.js";
import { rpcs } from "../../src/protocol/rpcs.js";
import { answerOf, connect, frameOf } from "./client.js";
import { fixture } from "./fixture.js";

/*
 * The client is that of Node, which is nghttp2. What h2spec says of it is in test/real.
 */

const callFunction = "/tfplugin6.Provider/CallFunction";
let server: DebugServer;
let address: string;

beforeAll(async () => {
  server = await startDebugServer(fixture);
  address = JSON.parse(server.reattach("a.example/b/c"))["a.example/b/c"].Addr.String;
  return () => server.close();
});

test("fields of any names and values are read as they were sent, also those that refer to earlier ones", async () => {
  const client = await connect({ network: "unix", address });
  const session = connectHttp2("http://localhost", { createConnection: () => connectSocket(address) });
  onTestFinished(() => session.destroy());
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).map((text) => `x-${text}`);
  const value = fc.oneof(
    fc.stringMatching(/^[!-~]{0,200}$/),
    fc.constantFrom("one", "another", "a".repeat(3000)),
  );
  const path = fc.oneof(fc.stringMatching(/^\/[!-~]{0,300}$/), fc.constantFrom("/often", "/more/often"));
  await fc.assert(
    fc.asyncProperty(path, fc.dictionary(name, value, { maxKeys: 8 }), async (path, fields) => {
      const stream = session.request({ ":method": "POST", ":path": path, ...fields }, { endStream: true });
      const answer = await answerOf(stream);
      expect(answer.message).toBe(`There is no method ${path}.`);
    }),
    { numRuns: 1_000 },
  );
  await client.close();
});

test("an answer goes out in pieces as small as the caller takes, and others beside it", async () => {
  const session = connectHttp2("http://localhost", {
    createConnection: () => connectSocket(address),
    settings: { initialWindowSize: 100 },
  });
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  const sent = Array.from({ length: 5 }, (_, at) => Buffer.alloc(20_000 * at + 1, at));
  const answers = sent.map((bytes) => {
    const stream = session.request({ ":method": "POST", ":path": callFunction });
    const { request } = rpcs.CallFunction;
    stream.end(frameOf(request.encode({ name: "echo", arguments: [{ msgpack: bytes }] })));
    return answerOf(stream);
  });
  const bodies = (await Promise.all(answers)).map(({ body }) =>
    rpcs.CallFunction.response.decode(body.subarray(5)),
  );
  expect(bodies.map(({ result }) => result?.msgpack && Buffer.from(result.msgpack))).toEqual(sent);
});

test("headers and errors that are larger than a frame go out whole", async () => {
  const session = connectHttp2("http://localhost", {
    createConnection: () => connectSocket(address),
    maxHeaderListPairs: 100,
  });
  onTestFinished(() => session.destroy());
  const path = `/${"é".repeat(3)}${"x".repeat(40_000)}`;
  const stream = session.request({ ":method": "POST", ":path": encodeURI(path) }, { endStream: true });
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  expect(decodeURIComponent(decodeURIComponent(String(headers["grpc-message"])))).toBe(
    `There is no method ${path}.`,
  );
});

test("whatever is sent, it is answered or hung up on, and nobody else notices", async () => {
  const said = await recorded();
  const client = await connect({ network: "unix", address });
  const change = fc.record({
    at: fc.nat(said.length - 1),
    cut: fc.nat(12),
    put: fc.uint8Array({ maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = changes.reduce(
        (all, { at, cut, put }) => Buffer.concat([all.subarray(0, at), put, all.subarray(at + cut)]),
        said,
      );
      const socket = connectSocket(address);
      socket.on("error", () => {});
      socket.resume();
      socket.end(bytes);
      await once(socket, "close");
      expect(await client.call("CallFunction", { name: "echo" })).toBeDefined();
    }),
    { numRuns: 500 },
  );
  await client.close();
});

/** What a client says: settings, two calls, an end. */
async function recorded(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const proxy = createServer((socket: Socket) => {
    const upstream = connectSocket(address);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const at = proxy.address();
  const port = typeof at === "object" ? at?.port : undefined;
  const client = await connect({ network: "tcp", address: `127.0.0.1:${port}` });
  for (const name of ["echo", "configured"]) await client.call("CallFunction", { name });
  await client.close();
  proxy.close();
  return Buffer.concat(chunks);
}
