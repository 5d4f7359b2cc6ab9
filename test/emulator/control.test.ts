import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { emulatorFor } from "./asking.js";
import { expectAnswers } from "./told.js";

test("faults, behaviour, edits and the log are there for another process", () => {
  const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 2 });
  return expectAnswers(`${import.meta.dirname}/control.txt`, () => ({ world: world() }));
});

test("edits are made in the account of the key", async () => {
  await using service = await emulatorFor({ apiKeys: { a: "first", b: "second" } });
  const sent = { do: "addContext", context: { name: "added" } };
  await service.ask("POST", "/_emulator/edit", sent, { "x-api-key": "b" });
  expect([service.emulator.world, service.emulator.account("second").world]).toMatchObject([
    { contexts: [] },
    { contexts: [{ name: "added" }] },
  ]);
});
