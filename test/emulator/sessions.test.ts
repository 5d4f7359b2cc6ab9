import { expect, test } from "vitest";
import { emptyDataset, endedSessions } from "../../src/emulator/index.js";
import { emulatorFor, startTime } from "./asking.js";

test("oddSessions shows some sessions in shapes that are not documented, the same ones each time", async () => {
  const world = { ...emptyDataset(), sessions: endedSessions(100, Date.parse(startTime)) };
  await using service = await emulatorFor({ world, behaviour: { oddSessions: 4 } });
  const listed = async () => {
    const { body } = await service.ask("GET", "/v1/sessions?type=historic&page_size=100");
    return (body as { data: { results: unknown[] } }).data.results;
  };
  const results = await listed();
  expect(await listed()).toEqual(results);
  const ids = new Set(world.sessions.map(({ id }) => id));
  const fields = (entry: unknown) =>
    typeof entry === "object" ? Object.keys(entry ?? {}).length : typeof entry;
  expect(new Set(results.map(fields))).toEqual(new Set([8, "string", 7, 1, 10]));
  expect(results).toContainEqual(expect.objectContaining({ mode: "HOLOGRAM", source: "PHONE" }));
  expect(results).toContainEqual(expect.objectContaining({ created_at: "yesterday" }));
  expect(results.filter((entry) => typeof entry === "string").every((entry) => ids.has(`${entry}`))).toBe(
    true,
  );
});
