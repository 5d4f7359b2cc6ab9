import { test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { expectAnswers } from "./told.js";

test("gives other processes access to edits, data and clock", () => {
  const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 2 });
  return expectAnswers(`${import.meta.dirname}/control.txt`, () => ({ world: world() }));
});
