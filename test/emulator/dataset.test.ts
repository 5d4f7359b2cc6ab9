import { expect, test } from "vitest";
import {
  createEmptyDataset,
  createSampleDataset,
  type Dataset,
  generateDataset,
  sandboxAvatarId,
} from "../../src/emulator/index.js";
import { startMs } from "./asking.js";

const listEverything = (world: Dataset) => [
  ...world.avatars,
  ...world.voices,
  ...world.contexts,
  ...world.sessions,
];

test("creates identical sample accounts for the emulator, and a change to one does not affect another", () => {
  const [one, other] = [createSampleDataset(startMs), createSampleDataset(startMs)];
  expect(one).toEqual(other);
  one.contexts.splice(0);
  one.avatars[0] && Object.assign(one.avatars[0], { name: "changed" });
  expect(createSampleDataset(startMs)).toEqual(other);
});

test("creates a sample account with an example of each kind and state", () => {
  const { avatars, voices, contexts, secrets, sessions } = createSampleDataset(startMs);
  expect({
    avatars: avatars.length,
    statuses: [...new Set(avatars.map(({ status }) => status))],
    hasSandbox: avatars.some(({ id }) => id === sandboxAvatarId),
    voices: voices.length,
    contexts: contexts.length,
    withPlaceholders: contexts.filter(({ prompt }) => prompt.includes("${")).length,
    secrets,
    active: sessions.filter(({ ended_at }) => ended_at === null).length,
    historic: sessions.filter(({ ended_at }) => ended_at !== null).length,
    paidInSandbox: sessions.filter((session) => session.is_sandbox && session.credits_consumed > 0),
    sources: [...new Set(sessions.map(({ source }) => source))].sort(),
  }).toEqual({
    avatars: 6,
    statuses: ["ACTIVE", "INIT"],
    hasSandbox: true,
    voices: 4,
    contexts: 5,
    withPlaceholders: 5,
    secrets: [],
    active: 4,
    historic: 45,
    paidInSandbox: [],
    sources: ["API", "APP", "DEMO", "EMBED", "PHONE"],
  });
});

test.each([
  ["sample account", createSampleDataset(startMs)],
  ["built world", generateDataset({ avatars: 3, voices: 2, contexts: 300, sessions: 2 })],
])("creates a %s with unique ids in creation order and past timestamps", (_, world) => {
  const all = listEverything(world);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { id, created_at, updated_at } of all) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(created_at <= updated_at && Date.parse(updated_at) <= startMs).toBe(true);
  }
  for (const rows of [world.avatars, world.voices, world.contexts, world.sessions]) {
    expect(rows.map(({ created_at }) => created_at)).toEqual(
      rows.map(({ created_at }) => created_at).toSorted(),
    );
  }
});

test("generates exactly the requested number of sample objects", () => {
  expect(generateDataset({})).toEqual(createEmptyDataset());
  const at = "2024-01-01T00:00:01.000Z";
  const world = generateDataset({
    contexts: 2,
    prompt: (i) => `p${i}`,
    firstCreatedAtMs: Date.UTC(2024, 0, 1),
  });
  expect(world.contexts[1]).toEqual({
    id: "30000000-0000-4000-8000-000000000001",
    name: "Context 2",
    prompt: "p1",
    opening_text: "",
    links: [],
    created_at: at,
    updated_at: at,
  });
});
