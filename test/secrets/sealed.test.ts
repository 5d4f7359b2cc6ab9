import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Sealed } from "../../src/core/secrets/index.js";

const sealed = new Sealed("canary-0001");

test("returns a sealed secret value from reveal()", () => {
  expect(sealed.reveal()).toBe("canary-0001");
});

test.each<[string, () => string]>([
  ["String()", () => String(sealed)],
  ["a template", () => `${sealed}`],
  ["JSON", () => JSON.stringify({ sealed })],
  ["inspect", () => inspect({ sealed }, { depth: 9, showHidden: true, getters: true })],
  ["inspect that skips custom ones", () => inspect(sealed, { customInspect: false, showHidden: true })],
  ["format", () => format("%s %o %O %j", sealed, sealed, sealed, sealed)],
  ["an error's cause", () => inspect(new Error("x", { cause: sealed }))],
  ["a copy of its properties", () => JSON.stringify({ ...sealed })],
  ["a structured clone", () => inspect(structuredClone(sealed))],
  ["its keys and values", () => inspect(Reflect.ownKeys(sealed)) + inspect(Object.entries(sealed))],
])("hides a sealed secret value in %s", (_, show) => {
  expect(show()).not.toContain("canary");
});

test("prints a placeholder for a sealed secret value", () => {
  expect([`${sealed}`, JSON.stringify(sealed), inspect(sealed)]).toEqual([
    "(secret)",
    '"(secret)"',
    "(secret)",
  ]);
});
