import { once } from "node:events";
import { constants } from "node:http2";
import { connect as connectSocket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startDebugServer } from "../../src/index.js";
import { rpcs } from "../../src/protocol/rpcs.js";
import { answerOf, type Client, connect, frameOf } from "./client.js";
import { fixture } from "./fixture.js";

const callFunction = "/tfplugin6.Provider/CallFunction";
const { request, response } = rpcs.CallFunction;
const echo = (bytes: Uint8Array) =>
  frameOf(request.encode({ name: "echo", arguments: [{ msgpack: bytes }] }));

/** A server, how to connect to it, and what was logged. */
async function start() {
  const logged: string[] = [];
  const server = await startDebugServer(fixture, { log: (_level, message) => logged.push(message) });
  onTestFinished(() => server.close());
  const { Addr } = JSON.parse(server.reattach("a.example/b/c"))["a.example/b/c"];
  const at = { network: Addr.Network, address: Addr.String };
  return { server, logged, at, connect: () => connect(at) };
}

async function started(): Promise<Client> {
  return (await start()).connect();
}

function echoed(body: Buffer): Buffer {
  return Buffer.from(response.decode(body.subarray(5)).result?.msgpack ?? []);
}

describe("a call", () => {
  test("is understood however its bytes are cut into frames", async () => {
    const client = await started();
    const whole = echo(Buffer.from("cut"));
    const bytes = [...whole].map((byte) => Buffer.of(byte));
    const cuts = Array.from({ length: whole.length }, (_, at) => [whole.subarray(0, at), whole.subarray(at)]);
    for (const pieces of [bytes, ...cuts]) {
      const { status, body } = await client.send(callFunction, ...pieces);
      expect([status, echoed(body).toString()]).toEqual([0, "cut"]);
    }
  });

  test("may be large, and many may be in flight", { tags: "night" }, async () => {
    const client = await started();
    const large = Array.from({ length: 24 }, (_, index) => Buffer.alloc(5_000_000, index));
    const answers = await Promise.all(large.map((bytes) => client.send(callFunction, echo(bytes))));
    expect(answers.map(({ body }, index) => echoed(body).equals(large[index] ?? Buffer.of()))).toEqual(
      large.map(() => true),
    );
  });

  test("that is given up leaves the others alone", async () => {
    const client = await started();
    const stream = client.open(callFunction);
    stream.end(frameOf(request.encode({ name: "never" })));
    const answering = client.call("CallFunction", { name: "echo" });
    stream.close(constants.NGHTTP2_CANCEL);
    await expect(answering).resolves.toEqual({ result: undefined, error: undefined });
    const half = client.open(callFunction);
    half.write(echo(Buffer.from("x")).subarray(0, 3));
    half.close(constants.NGHTTP2_CANCEL);
    await expect(client.call("CallFunction", { name: "echo" })).resolves.toBeDefined();
  });

  test("with several responses has them all, or is cut by a bug, and the next is answered", async () => {
    const client = await started();
    const listed = (typeName: string, limit: number) =>
      client
        .stream("ListResource", { typeName, limit })
        .then((all) => all.map(({ displayName }) => displayName));
    expect(await listed("thing", 3)).toEqual(["thing 1", "thing 2", "thing 3"]);
    expect(await listed("thing", 20_000)).toHaveLength(20_000);
    await expect(listed("fail", 1)).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
    expect(await listed("thing", 0)).toEqual([]);
  });

  test("with several responses has each when it is there", async () => {
    const { ListResource } = rpcs;
    const call = (await started()).open("/tfplugin6.Provider/ListResource");
    call.end(frameOf(ListResource.request.encode({ typeName: "never", limit: 1 })));
    const [first] = (await once(call, "data")) as [Buffer];
    expect(ListResource.response.decode(first.subarray(5))).toMatchObject({ displayName: "never 1" });
    call.close(constants.NGHTTP2_CANCEL);
  });

  test("that hits a bug says so, in whatever letters, and the next is answered", async () => {
    const { connect, logged } = await start();
    const client = await connect();
    const sent = frameOf(request.encode({ name: "fail" }));
    expect(await client.send(callFunction, sent)).toEqual({
      status: 13,
      message: "This is a bug in the provider: 50 % Ärger\nin line 2",
      body: Buffer.of(),
    });
    expect(logged).toEqual(["Bug: /tfplugin6.Provider/CallFunction failed"]);
    expect(await client.call("CallFunction", { name: "echo" })).toBeDefined();
  });
});

describe("what is no call is refused, and the next one answered", () => {
  const message = request.encode({ name: "echo" });
  test.each([
    ["an unknown method", "/tfplugin6.Provider/ReadStateBytes", [frameOf(message)], 12, "There is no method"],
    ["an unknown service", "/tfplugin5.Provider/GetSchema", [frameOf(message)], 12, "There is no method"],
    [
      "a name of every object",
      "/tfplugin6.Provider/constructor",
      [frameOf(message)],
      12,
      "There is no method",
    ],
    ["a call without a message", callFunction, [], 12, "this one has none"],
    ["a call with two messages", callFunction, [frameOf(message), frameOf(message)], 12, "has several"],
    ["a compressed message", callFunction, [frameOf(message, 1)], 12, "Compressed"],
    ["a message cut short", callFunction, [frameOf(message).subarray(0, 8)], 13, "incomplete"],
    ["half a length", callFunction, [frameOf(message).subarray(0, 3)], 13, "incomplete"],
    ["a malformed message", callFunction, [frameOf(Buffer.from("0a05616263", "hex"))], 13, "Malformed"],
    [
      "a message of 256 MiB and more",
      callFunction,
      [Buffer.alloc(256 * 1024 * 1024 + 1)],
      8,
      "268435456 bytes",
    ],
  ])("%s", async (_name, path, pieces, status, text) => {
    const client = await started();
    const answer = await client.send(path, ...pieces);
    expect({ ...answer, message: answer.message.includes(text) || answer.message }).toEqual({
      status,
      message: true,
      body: Buffer.of(),
    });
    expect(await client.call("CallFunction", { name: "echo" })).toBeDefined();
  });

  test("also with a name longer than a frame", async () => {
    const client = await started();
    const path = `/${"x".repeat(40_000)}`;
    expect((await client.send(path, frameOf(message))).message).toBe(`There is no method ${path}.`);
  });

  test("and neither does somebody who does not speak HTTP/2 disturb", async () => {
    const { at, connect } = await start();
    const client = await connect();
    const stranger = connectSocket({ path: at.address });
    stranger.on("error", () => {});
    stranger.write("GET / HTTP/1.1\r\n\r\n");
    stranger.resume();
    await once(stranger, "close");
    expect(await client.call("CallFunction", { name: "echo" })).toBeDefined();
  });
});

describe("what every plugin has", () => {
  test.each(["/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCBroker/StartStream"])(
    "%s is held open in silence until the end",
    async (path) => {
      const { server, connect } = await start();
      const client = await connect();
      const stream = client.open(path);
      const answer = answerOf(stream);
      await once(stream, "response");
      expect(await client.call("CallFunction", { name: "echo" })).toBeDefined();
      expect(stream.closed).toBe(false);
      await Promise.all([server.close(), client.closed]);
      expect(await answer).toEqual({ status: 0, message: "", body: Buffer.of() });
    },
  );

  test("it is well", async () => {
    const client = await started();
    const { body } = await client.send("/grpc.health.v1.Health/Check", frameOf(Buffer.of()));
    expect(body.toString("hex")).toBe("00000000020801");
  });

  test("a server of its own process ends for nobody", async () => {
    const { connect } = await start();
    const client = await connect();
    const { status } = await client.send("/plugin.GRPCController/Shutdown", frameOf(Buffer.of()));
    expect(status).toBe(0);
    expect(await (await connect()).call("CallFunction", { name: "echo" })).toBeDefined();
  });
});

describe("a connection", () => {
  test("that ends closes its provider, and no other", async () => {
    const { connect, logged } = await start();
    const [one, other] = await Promise.all([connect(), connect()]);
    await one.call("CallFunction", { name: "echo" });
    await other.call("CallFunction", { name: "echo" });
    await one.close();
    await other.call("CallFunction", { name: "log" });
    await expect.poll(() => logged).toEqual(["Hung up", "Told to log"]);
  });

  test("over which no provider was called closes none", async () => {
    const { server, connect, logged } = await start();
    await (await connect()).close();
    await server.close();
    expect(logged).toEqual([]);
  });

  test("with a call in flight is cut when its time is over", async () => {
    const { server, connect } = await start();
    const client = await connect();
    const stream = client.open(callFunction);
    const answering = answerOf(stream);
    stream.end(frameOf(request.encode({ name: "never" })));
    await client.call("CallFunction", { name: "echo" });
    await server.close();
    await expect(answering).rejects.toThrow("without a status");
    await client.closed;
  });
});
