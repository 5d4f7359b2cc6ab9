import { test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { expectResponses } from "./exchanges.js";

test("lets other processes edit data and move the emulator's clock", () => {
  const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 2 });
  return expectResponses(`${import.meta.dirname}/control.txt`, () => ({ world: world() }));
});
