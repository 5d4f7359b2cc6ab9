import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  EmulatorInputError,
  generateDataset,
  sampleDataset,
  startEmulator,
} from "../../src/emulator/index.js";
import { emulatorFor, startMs } from "./asking.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emulator-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a world outlives its emulator, all of it but the secret values", async () => {
  const dataFile = join(folder, "outlives.json");
  const first = await emulatorFor({ dataFile, world: sampleDataset(startMs) });
  await first.ask("POST", "/v1/contexts", { name: "kept", links: [{ url: "https://a.example" }] });
  const secret = { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", secret_value: "sk-hidden" };
  await first.ask("POST", "/v1/secrets", secret);
  await first.emulator.close();
  await using second = await emulatorFor({ dataFile, world: generateDataset({ contexts: 1 }) });
  expect(second.emulator.world).toEqual(first.emulator.world);
  expect(await readFile(dataFile, "utf8")).not.toContain("sk-hidden");
});

test("a burst of changes and the colleague's edits all reach the file", async () => {
  const dataFile = join(folder, "burst.json");
  const first = await emulatorFor({ dataFile });
  const names = Array.from({ length: 30 }, (_, i) => `c${i}`);
  await Promise.all(names.map((name) => first.ask("POST", "/v1/contexts", { name })));
  first.emulator.removeContext("c0");
  await first.emulator.close();
  await using second = await emulatorFor({ dataFile });
  expect(second.emulator.world.contexts.map(({ name }) => name).toSorted()).toEqual(
    names.slice(1).toSorted(),
  );
  expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a link at its temporary name is not followed, and the file keeps its permissions", async () => {
  const dataFile = join(folder, "linked.json");
  const victim = join(folder, "victim");
  await writeFile(victim, "mine");
  await symlink(victim, `${dataFile}.tmp`);
  const first = await emulatorFor({ dataFile });
  await first.ask("POST", "/v1/contexts", { name: "first" });
  await first.emulator.close();
  await chmod(dataFile, 0o600);
  const again = await emulatorFor({ dataFile });
  await again.ask("POST", "/v1/contexts", { name: "kept" });
  await again.emulator.close();
  expect([await readFile(victim, "utf8"), (await stat(dataFile)).mode & 0o777]).toEqual(["mine", 0o600]);
  await rm(`${dataFile}.tmp`);
});

test("the file is written while the emulator runs", async () => {
  const dataFile = join(folder, "running.json");
  await using service = await emulatorFor({ dataFile });
  service.emulator.addContext({ name: "seen" });
  await expect.poll(() => readFile(dataFile, "utf8").catch(() => "")).toContain('"seen"');
});

test("data that cannot be written is an error when the emulator closes, at the latest", async () => {
  const nowhere = join(folder, "gone");
  const emulator = await startEmulator({ dataFile: join(nowhere, "world.json") });
  emulator.addContext({ name: "lost" });
  await expect(emulator.close()).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file that is older than a resource is read, with no rows of that resource", async () => {
  const dataFile = join(folder, "older.json");
  const { secrets: _, ...older } = generateDataset({ contexts: 1 });
  await writeFile(dataFile, JSON.stringify({ version: 1, worlds: { main: older } }));
  await using service = await emulatorFor({ dataFile });
  expect(service.emulator.world).toEqual(generateDataset({ contexts: 1 }));
});

test.each([
  ["not JSON", "{", /^data file: .*damaged\.json is not JSON$/],
  ["of another version", '{"version":2,"worlds":{}}', /version: must be an integer from 1 to 1;/],
  ["of something else", "[]", /is damaged or not a data file of the emulator: must be an object$/],
  [
    "with half an object in it",
    JSON.stringify({
      version: 1,
      worlds: { main: { ...generateDataset({}), secrets: [{ id: "1", created_at: "today" }] } },
    }),
    /worlds\.main\.secrets\.0\.secret_name: is missing.*created_at: must be a time such as/,
  ],
])("a file that is %s is refused and left alone", async (_, content, message) => {
  const dataFile = join(folder, "damaged.json");
  await writeFile(dataFile, content);
  await expect(startEmulator({ dataFile })).rejects.toThrow(EmulatorInputError);
  await expect(startEmulator({ dataFile })).rejects.toThrow(message);
  expect(await readFile(dataFile, "utf8")).toBe(content);
});

test("a folder in place of the file is refused", async () => {
  await expect(startEmulator({ dataFile: folder })).rejects.toThrow(/^data file: .* cannot be read: EISDIR/);
});
