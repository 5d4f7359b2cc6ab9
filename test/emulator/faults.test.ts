import { request } from "node:http";
import { expect, test } from "vitest";
import { type Fault, type FaultMatch, generateDataset } from "../../src/emulator/index.js";
import { startTestEmulator } from "./asking.js";
import { expectResponses } from "./exchanges.js";

const html = "<html>502 Bad Gateway</html>";

test("breaks emulator responses as documented for each fault", () => {
  const world = () => generateDataset({ contexts: 3 });
  return expectResponses(`${import.meta.dirname}/faults.txt`, () => ({ world: world() }));
});

test("sends a fault's HTML body as text/html unless the fault sets a content type", async () => {
  const headers = { "retry-after": "7", "content-type": "text/plain" };
  await using service = await startTestEmulator({
    faults: [
      { do: { kind: "status", status: 524, body: html } },
      { do: { kind: "status", status: 503, headers } },
    ],
  });
  expect((await service.send("GET", "/v1/avatars")).headers.get("content-type")).toBe("text/html");
  const second = (await service.send("GET", "/v1/avatars")).headers;
  expect([second.get("content-type"), second.get("retry-after")]).toEqual(["text/plain", "7"]);
});

test.each([
  ["cut", 0.5],
  ["cut bytes=10", 10],
])("truncates an emulator response below its Content-Length with the fault %s", async (action, part) => {
  await using service = await startTestEmulator();
  service.emulator.addFault(`* /v1/contexts?page=1 ${action}`);
  const { promised, got } = await new Promise<{ promised: number; got: number }>((resolve, reject) => {
    const headers = { "x-api-key": "test-key" };
    const asked = request(`${service.emulator.url}/v1/contexts?page=1`, { headers }, (response) => {
      let got = 0;
      response.on("data", (chunk: Buffer) => (got += chunk.length));
      response.on("error", () => {});
      response.on("close", () => resolve({ promised: Number(response.headers["content-length"]), got }));
    });
    asked.on("error", reject).end();
  });
  expect(got).toBe(part < 1 ? Math.floor(promised * part) : part);
});

test.each([
  ["hang", 0],
  ["hang-after", 1],
  ["delay ms=60000", 0],
])(
  "sends no response to a create until the emulator closes (fault %s, %i stored contexts)",
  async (action, stored) => {
    await using service = await startTestEmulator();
    service.emulator.addFault(`* * ${action}`);
    const waiting = service.ask("POST", "/v1/contexts", { name: "c" }).catch(() => "connection lost");
    await expect.poll(() => service.emulator.requests[0]?.fault).toBe(action.split(" ")[0]);
    expect(service.emulator.world.contexts.length).toBe(stored);
    await service.emulator.close();
    expect(await waiting).toBe("connection lost");
    expect(service.emulator.requests[0]).not.toHaveProperty("status");
  },
);

test("applies at most one fault per request, in addition to run and delay faults", async () => {
  const ran: string[] = [];
  const note = (word: string): Fault => ({
    do: { kind: "run", run: (_, { path }) => void ran.push(`${word} ${path}`) },
  });
  await using service = await startTestEmulator({
    faults: [
      note("first"),
      { do: { kind: "delay", ms: 1 } },
      { do: { kind: "status", status: 500 } },
      note("second"),
      { do: { kind: "status", status: 502 } },
    ],
  });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await service.ask("GET", `/v1/avatars`)).status);
  expect(statuses).toEqual([500, 502, 200]);
  expect(ran).toEqual(["first /v1/avatars", "second /v1/avatars"]);
  expect(service.emulator.requests.map(({ fault }) => fault)).toEqual([
    "run delay 500",
    "run 502",
    undefined,
  ]);
});

const post = ["POST", "/v1/contexts?x=1&page=2", { name: "Support desk" }] as const;
test.each<[FaultMatch, boolean]>([
  [{}, true],
  [{ method: "post" }, true],
  [{ method: "GET" }, false],
  [{ path: "/v1/contexts" }, true],
  [{ path: "/v1/*" }, true],
  [{ path: "/v1/*/*" }, false],
  [{ path: "/v1" }, false],
  [{ path: "/v1/contexts?page=2" }, true],
  [{ path: "/v1/contexts?page=2&y=1" }, false],
  [{ body: "Support" }, true],
  [{ body: "other" }, false],
  [{ method: "POST", path: "/v1/contexts", body: "other" }, false],
])("decides whether the fault %o matches a context's POST: %s", async (match, hit) => {
  await using service = await startTestEmulator({ faults: [{ match, do: { kind: "status", status: 418 } }] });
  expect((await service.ask(...post)).status === 418).toBe(hit);
});

test("delays 30 concurrent emulator requests without a Node.js warning", async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on("warning", hear);
  const faults: Fault[] = [{ times: 30, do: { kind: "delay", ms: 5 } }];
  await using service = await startTestEmulator({ faults });
  await Promise.all(Array.from({ length: 30 }, () => service.ask("GET", "/v1/avatars")));
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});
