import { test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { expectAnswers } from "./told.js";

test("edits, data and clock are available to other processes", () => {
  const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 2 });
  return expectAnswers(`${import.meta.dirname}/control.txt`, () => ({ world: world() }));
});
