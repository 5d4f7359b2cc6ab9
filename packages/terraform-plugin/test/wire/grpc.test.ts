import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startDebugServer } from "../../src/index.js";
import { connect } from "./client.js";
import { createFixture } from "./fixture.js";

/** Starts a server and returns its log and a function that connects. */
async function start() {
  const logged: string[] = [];
  const server = await startDebugServer(createFixture, { log: (_level, message) => logged.push(message) });
  onTestFinished(() => server.close());
  const { Addr } = JSON.parse(server.reattach("a.example/b/c"))["a.example/b/c"];
  const at: string = Addr.String;
  return { server, logged, at, connect: () => connect(at) };
}

describe("gRPC call", () => {
  test("does not affect other calls when it is cancelled", async () => {
    const client = (await start()).connect();
    const never = client.stream("ListResource", { typeName: "never", limit: 1 });
    await once(never, "data");
    never.cancel();
    await expect(once(never, "end")).rejects.toThrow("CANCELLED");
    expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
  });

  test("streams all responses, and leaves the next call unaffected if a stream fails", async () => {
    const client = (await start()).connect();
    const listed = async (typeName: string, limit: number) => {
      const names: string[] = [];
      for await (const { displayName } of client.stream("ListResource", { typeName, limit }))
        names.push(displayName);
      return names;
    };
    expect(await listed("thing", 3)).toEqual(["thing 1", "thing 2", "thing 3"]);
    expect(await listed("thing", 2_000)).toHaveLength(2_000);
    await expect(listed("fail", 1)).rejects.toThrow("there is no more");
    expect(await listed("thing", 0)).toEqual([]);
  });

  test("keeps special characters in an INTERNAL error and leaves the next call unaffected", async () => {
    const { connect, logged } = await start();
    const client = connect();
    await expect(client.call("ReadDataSource", { typeName: "fail" })).rejects.toThrow(
      "13 INTERNAL: This is a bug in the provider: 50 % Ärger\nin line 2",
    );
    expect(logged).toEqual(["Bug: /tfplugin6.Provider/ReadDataSource failed"]);
    expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
  });

  test("is rejected if the method is unknown or the client does not use HTTP/2", async () => {
    const { at, connect } = await start();
    const client = connect();
    await expect(client.send("/tfplugin6.Provider/ReadStateBytes")).rejects.toThrow("12 UNIMPLEMENTED");
    const stranger = connectSocket({ path: at });
    stranger.write("GET / HTTP/1.1\r\n\r\n");
    await once(stranger.resume(), "close");
    expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
  });
});

describe("gRPC connection", () => {
  test("is closed after a timeout even if a call is in progress", async () => {
    const { server, connect } = await start();
    const client = connect();
    const never = expect(client.call("ReadDataSource", { typeName: "never" })).rejects.toThrow(
      "14 UNAVAILABLE",
    );
    await client.call("ReadDataSource", { typeName: "echo" });
    await server.close();
    await never;
  });
});
