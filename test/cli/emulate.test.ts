import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultBehavior, parseBehavior, parseFault } from "../../src/emulator/index.js";
import { emulate, emulateWithArguments } from "./emulating.js";
import { matchText, newFolder, runIn } from "./hosting.js";

describe("emulate", () => {
  test("serves the sample account until stopped and prints each request", async () => {
    const running = await emulate([]);

    const answer = await running.get("/v1/contexts?page=1");

    expect(answer.status).toBe(200);
    const { exit, stdout, stderr } = await running.stop();
    expect(exit).toBe(0);
    expect(stdout).toBe(`export AVATAROPS_BASE_URL=${running.url} AVATAROPS_API_KEY=test-key\n`);
    expect(stderr).toEqual(matchText(`listens on ${running.url}. Press Ctrl-C to stop`));
    expect(stderr).toMatch(/^GET \/v1\/contexts\?page=1 200$/m);
    await expect(running.get("/v1/contexts")).rejects.toThrow();
  });

  test("uses the profile and behavior given as options", async () => {
    const running = await emulate(["--profile", "liveavatar", "--behave", "timestampPrecision=s"]);
    const secret = { secret_name: "n", secret_value: "v", secret_type: "LLM_API_KEY" };
    expect(await (await running.post("/v1/secrets", secret)).json()).toMatchObject({ code: 1000 });
    expect(await (await running.get("/v1/secrets")).json()).toMatchObject({
      data: [{ secret_name: "n", created_at: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/) }],
    });
    await running.stop();
    const other = await runIn(await newFolder(), ["emulate", "--profile", "other"]);
    expect(other).toMatchObject({ exit: 1, stdout: "", stderr: matchText("liveavatar") });
  });

  test("listens on its default port, or reports that the port is taken", async () => {
    const usual = await emulateWithArguments([]).catch((error: Error) => error);
    expect("url" in usual ? usual.url : usual.message).toMatch(/127\.0\.0\.1:8642$|port 8642 \(EADDRINUSE\)/);
    if ("stop" in usual) await usual.stop();
  });

  test("injects and reports the given faults and applies the given behaviors", async () => {
    const running = await emulate(["--fault", "GET /v1/avatars 503", "--behave", "successCode=1000"]);

    expect((await running.get("/v1/avatars")).status).toBe(503);
    expect(await (await running.get("/v1/avatars")).json()).toMatchObject({ code: 1000 });
    await expect(running.stop()).resolves.toMatchObject({
      stderr: expect.stringMatching(/GET \/v1\/avatars 503 fault: 503\nGET \/v1\/avatars 200\n/),
    });
  });

  test.each([
    ["an incomplete fault", ["--port", "0", "--fault", "POST"], "is incomplete"],
    ["an unknown behavior", ["--port", "0", "--behave", "link=merge"], "behavior:"],
    ["an invalid port", ["--port", "70000"], "Cannot listen on port 70000"],
  ])("rejects %s", async (_, argv, message) => {
    const ran = await runIn(await newFolder(), ["emulate", ...argv]);
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining(message) });
  });
});

describe("emulator page", () => {
  const [, page = ""] = readFileSync("docs/library.md", "utf8").split("### Faults and behaviors");
  const [faults, settings, behaviors] = page
    .split("| --- | --- |\n")
    .slice(1)
    .map((table) =>
      Array.from(table.matchAll(/^\| `(.*?)` \|/gm), ([, row = ""]) => row.replaceAll("\\|", "|")),
    );

  test("lists every behavior with valid values, the default first", () => {
    const listed = (behaviors ?? []).map((row) => {
      const [name, values = ""] = row.split("=");
      return values.split("|").map((value) => parseBehavior(`${name}=${value}`));
    });
    expect(Object.assign({}, ...listed.map(([first]) => first))).toEqual(defaultBehavior);
    expect(listed.flat().length).toBeGreaterThan(listed.length);
  });

  test("lists all fault actions and settings", () => {
    const needed: Readonly<Record<string, string>> = { malformed: " body=x", delay: " ms=1" };
    for (const action of faults ?? []) parseFault(`GET /v1/contexts ${action}${needed[action] ?? ""}`);
    for (const setting of settings ?? [])
      parseFault(`GET * 503 ${setting.replace("=N", "=2").replace("=TEXT", "=x")}`);
    const listed = (faults ?? []).join(", ").replace("503-after", "503-after (or another status)");
    expect(() => parseFault("* * none")).toThrow(`Actions: ${listed}.`);
  });
});
