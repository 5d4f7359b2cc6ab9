import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { defaultBehaviour, parseBehaviour, parseFault } from "../../src/emulator/index.js";
import { emulateHelp } from "../../src/entrypoints/cli/facts/others.js";
import { freePort } from "../stores/starting.js";
import { emulate, emulateAsGiven } from "./emulating.js";
import { newFolder, runIn, saying } from "./hosting.js";

describe("emulate", () => {
  test("serves the sample until it is stopped, and shows a line for every request", async () => {
    const running = await emulate([]);

    const answer = await running.get("/v1/contexts?page=1");

    expect(answer.status).toBe(200);
    const { exit, stdout, stderr } = await running.stop();
    expect(exit).toBe(0);
    expect(stdout).toBe(`export AVATAROPS_BASE_URL=${running.url} AVATAROPS_API_KEY=test-key\n`);
    expect(stderr).toEqual(saying(`listens on ${running.url}. Press Ctrl-C to stop`));
    expect(stderr).toMatch(/^GET \/v1\/contexts\?page=1 200$/m);
    await expect(running.get("/v1/contexts")).rejects.toThrow();
  });

  test("offers what a deployment offers besides, on request", async () => {
    const running = await emulate(["--profile", "liveavatar", "--behave", "timestampPrecision=s"]);
    const secret = { secret_name: "n", secret_value: "v", secret_type: "LLM_API_KEY" };
    expect(await (await running.post("/v1/secrets", secret)).json()).toMatchObject({ code: 1000 });
    expect(await (await running.get("/v1/secrets")).json()).toMatchObject({
      data: [{ secret_name: "n", created_at: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/) }],
    });
    await running.stop();
    const other = await runIn(await newFolder(), ["emulate", "--profile", "other"]);
    expect(other).toMatchObject({ exit: 1, stdout: "", stderr: saying("liveavatar") });
  });

  test("keeps what was made in a file for the next run", async () => {
    const folder = await newFolder();
    const first = await emulate(["--empty", "--data", "world.json"], folder);
    await first.post("/v1/contexts", { name: "Kept", prompt: "", opening_text: "", links: [] });
    await first.stop();

    const second = await emulate(["--data", "world.json"], folder);

    expect(await (await second.get("/v1/contexts")).json()).toMatchObject({
      data: { count: 1, results: [{ name: "Kept" }] },
    });
    await second.stop();
  });

  test("refuses data that another emulator keeps, unless that one was killed", async () => {
    const folder = await newFolder();
    const first = await emulate(["--data", "world.json"], folder);
    const second = await runIn(folder, ["emulate", "--port", "0", "--data", "world.json"]);
    expect(second).toMatchObject({ exit: 6, stdout: "" });
    expect(second.stderr).toEqual(
      saying(`in use by \`avatarops emulate\` (process ${process.pid} on test-host`),
    );
    expect(second.stderr).toEqual(saying("Stop that process, or name another file."));
    await first.stop();

    const { pid } = spawnSync(process.execPath, ["--version"]);
    const killed = {
      id: "1",
      pid,
      host: "test-host",
      since: "2026-11-27T00:00:00Z",
      command: "avatarops emulate",
    };
    await writeFile(path.join(folder, "world.json.lock"), JSON.stringify(killed));
    await (await emulate(["--data", "world.json"], folder)).stop();
    expect(await readdir(folder)).toEqual(["world.json"]);
  });

  test("listens on the same port every time, and with its data on that of the last run", async () => {
    const folder = await newFolder();
    const port = await freePort();
    await (await emulateAsGiven(["--data", "world.json", "--port", `${port}`], folder)).stop();

    const second = await emulateAsGiven(["--data", "world.json"], folder);
    expect(second.url).toBe(`http://127.0.0.1:${port}`);
    await second.stop();

    const taken = createServer().listen(port, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const third = await runIn(folder, ["emulate", "--data", "world.json"]);
    expect(third).toMatchObject({ exit: 1, stderr: saying(`Port ${port} is in use`) });
  });

  test("has a port that is usual, or says that somebody else has it", async () => {
    const usual = await emulateAsGiven([]).catch((error: Error) => error);
    expect("url" in usual ? usual.url : usual.message).toMatch(/127\.0\.0\.1:8642$|Port 8642 is in use/);
    if ("stop" in usual) await usual.stop();
  });

  test("lets the faults asked for happen and names them, and behaves as told", async () => {
    const running = await emulate(["--fault", "GET /v1/avatars 503", "--behave", "successCode=1000"]);

    expect((await running.get("/v1/avatars")).status).toBe(503);
    expect(await (await running.get("/v1/avatars")).json()).toMatchObject({ code: 1000 });
    await expect(running.stop()).resolves.toMatchObject({
      stderr: expect.stringMatching(/GET \/v1\/avatars 503 fault: 503\nGET \/v1\/avatars 200\n/),
    });
  });

  test("quotes a key as a shell needs it", async () => {
    const running = await emulate(["--api-key", "it's $HOME"]);
    const { stdout } = await running.stop();
    expect(stdout).toContain(`AVATAROPS_API_KEY='it'\\''s $HOME'\n`);
  });

  test.each([
    ["a fault it does not understand", ["--fault", "POST"], "is incomplete"],
    ["a behaviour it does not know", ["--behave", "link=merge"], "behaviour:"],
    ["a port that is none", ["--port", "70000"], "Port 70000 is not a port"],
    ["an empty key", ["--api-key", ""], "The API key is empty"],
  ])("refuses %s", async (_, argv, message) => {
    const ran = await runIn(await newFolder(), ["emulate", ...argv]);
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("says when the data cannot be saved", async () => {
    const folder = await newFolder();
    const running = await emulate(["--data", "data/world.json"], folder);
    await rename(path.join(folder, "data"), path.join(folder, "moved"));
    await running.post("/v1/contexts", { name: "Lost", prompt: "", opening_text: "", links: [] });
    const { exit, stderr } = await running.stop();
    expect(stderr.replace(/\s+/g, " ")).toContain("could not be saved in data/world.json (ENOENT)");
    expect(exit).toBe(130);
  });
});

describe("the help of emulate", () => {
  const [faults, settings, behaviours] = emulateHelp.map(({ rows }) => rows.map(([written]) => written));

  test("lists every behaviour, the default first, and values that are understood", () => {
    const listed = (behaviours ?? []).map((row) => {
      const [name, values = ""] = row.split("=");
      return values.split("|").map((value) => parseBehaviour(`${name}=${value}`));
    });
    expect(Object.assign({}, ...listed.map(([first]) => first))).toEqual(defaultBehaviour);
    expect(listed.flat().length).toBeGreaterThan(listed.length);
  });

  test("lists actions and settings that are understood, and all of them", () => {
    const needed: Readonly<Record<string, string>> = { malformed: " body=x", delay: " ms=1" };
    for (const action of faults ?? []) parseFault(`GET /v1/contexts ${action}${needed[action] ?? ""}`);
    for (const setting of settings ?? [])
      parseFault(`GET * 503 ${setting.replace("=N", "=2").replace("=TEXT", "=x")}`);
    const complaint = (line: string) => {
      try {
        return String(parseFault(line));
      } catch (error) {
        return String(error);
      }
    };
    const told = `${faults?.join(" ")} ${emulateHelp.flatMap(({ rows }) => rows.flat()).join(" ")}`;
    const [, actions = ""] = /such as 503 or 503-after, (.*)$/.exec(complaint("* * none")) ?? [];
    const [, known = ""] = /use one of (.*)$/.exec(complaint("* * 503 none=1")) ?? [];
    for (const word of [...actions.split(/, | or /), ...known.split(", ")]) expect(told).toContain(word);
    expect(actions.split(/, | or /).length + known.split(", ").length).toBeGreaterThan(10);
  });

  test("shows them", async () => {
    const { exit, stdout } = await runIn(await newFolder(), ["emulate", "--help"]);
    expect(exit).toBe(0);
    for (const { title, rows } of emulateHelp)
      for (const text of [title, ...rows.flat()]) expect(stdout).toContain(text);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});
