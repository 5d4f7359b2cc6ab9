import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { providerServer, startDebugServer } from "@avatarops/terraform-plugin";
import { expect, onTestFinished, test } from "vitest";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { h2specTool } from "./tools.js";

/** What the provider does otherwise, and why. */
const otherwise = [
  // The answer to these requests is an error, which has no DATA to wait for.
  "Sends a WINDOW_UPDATE frame on half-closed (remote) stream",
  "Sends a PRIORITY frame on half-closed (remote) stream",
  // RFC 9113 has taken priorities out; h2spec is older.
  "Sends HEADERS frame that depend on itself",
  "Sends PRIORITY frame that depend on itself",
  // No caller of gRPC sends it: each message says how long it is.
  'Sends a HEADERS frame with the "content-length" header field which does not equal the DATA frame payload length',
  'Sends a HEADERS frame with the "content-length" header field which does not equal the sum of the multiple DATA frames payload length',
];

test("h2spec finds the provider's HTTP/2 as the RFC says", { tags: ["night", "h2spec"] }, async () => {
  const server = await startDebugServer(
    providerServer(createProvider({ version: "1.0.0", environment: {} })),
  );
  onTestFinished(() => server.close());
  const at = JSON.parse(server.reattach("provider")).provider.Addr.String;
  // h2spec connects to ports only.
  const bridge = createServer((socket) => {
    const upstream = connect(at);
    for (const end of [socket, upstream]) end.on("error", () => {});
    socket.pipe(upstream);
    upstream.pipe(socket);
    upstream.on("close", () => socket.destroySoon());
    socket.on("close", () => upstream.destroy());
  });
  bridge.listen(0, "127.0.0.1");
  await once(bridge, "listening");
  onTestFinished(() => void bridge.close());
  const port = String((bridge.address() as { port: number }).port);
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-h2spec-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const report = path.join(folder, "report.xml");
  const asked = [
    "--host",
    "127.0.0.1",
    "--port",
    port,
    "--path",
    "/grpc.health.v1.Health/Check",
    "--timeout",
    "1",
  ];
  // It ends with 1 if anything failed.
  await promisify(execFile)(h2specTool.program, [...asked, "--junit-report", report]).catch(() => {});
  const text = await readFile(report, "utf8");
  const cases = [...text.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)];
  const failed = cases.filter(([, , inside = ""]) => /<(?:failure|error)\b/.test(inside));
  expect(cases.length).toBeGreaterThan(140);
  expect(
    failed.map(([, attributes = ""]) =>
      /classname="([^"]*)"/.exec(attributes)?.[1]?.replaceAll("&#34;", '"'),
    ),
  ).toEqual(otherwise);
});
