/*
 * What a command does for each object must not grow with the number of objects. Each function may be linear alone, and one in
 * a loop over all objects still is not: so the characters that are searched and the elements that are looked at are
 * counted, in a small project and in one of ten times its size. What the emulator does is not counted.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

interface Work {
  characters: number;
  elements: number;
}

const counting = new AsyncLocalStorage<Work>();
const restored: (() => void)[] = [];

/** Counts what a method did; `by` gets the receiver, the result and the first argument. */
function count<Name extends string>(
  prototype: Record<Name, (...given: never[]) => unknown>,
  name: Name,
  by: (self: never, result: never, given: never) => Partial<Work>,
): void {
  const original = prototype[name];
  prototype[name] = function (this: unknown, ...given: never[]) {
    const self = this as never;
    const isPattern = this instanceof RegExp;
    const from = isPattern ? (this.global || this.sticky ? this.lastIndex : 0) : Number(given[1] ?? 0);
    const result = original.apply(self, given) as never;
    const work = counting.getStore();
    if (work) {
      const { characters = 0, elements = 0 } = by(self, result, given[0] as never);
      work.characters += Math.max(0, characters - from);
      work.elements += elements;
    }
    return result;
  };
  restored.push(() => {
    prototype[name] = original;
  });
}

beforeAll(() => {
  const texts = String.prototype as never;
  const lists = Array.prototype as never;
  count(
    RegExp.prototype as never,
    "exec",
    (pattern: RegExp, found: RegExpExecArray | null, text: string) => ({
      characters: found ? found.index + found[0].length : pattern.sticky ? 0 : text.length,
    }),
  );
  for (const name of ["includes", "indexOf"]) {
    count(texts, name, (text: string, found: boolean | number) => ({
      characters: found === false || found === -1 ? text.length : Number(found),
    }));
    count(lists, name, (list: unknown[], found: boolean | number) => ({
      elements: found === false || found === -1 ? list.length : Number(found),
    }));
  }
  for (const name of ["split", "trim"]) count(texts, name, (text: string) => ({ characters: text.length }));
  for (const name of ["map", "filter", "flatMap", "forEach", "some", "every"])
    count(lists, name, (list: unknown[]) => ({ elements: list.length }));
  count(lists, "find", (list: unknown[], found: unknown) => ({
    elements: found === undefined ? list.length : list.indexOf(found),
  }));
});

afterAll(() => {
  for (const restore of restored) restore();
});

/** What each command does in a project of so many contexts, whose prompts are files. */
async function workOf(contexts: number): Promise<Readonly<Record<string, Work>>> {
  const numbers = Array.from({ length: contexts }, (_, i) => i + 1_000);
  const entries = numbers.map((i) => `  c${i}: { name: C${i}, prompt: !file prompts/${i}.md }\n`);
  const project = await startProject({
    world: emptyDataset(),
    files: {
      "avatarops.yaml": `contexts:\n${entries.join("")}`,
      ...Object.fromEntries(numbers.map((i) => [`prompts/${i}.md`, `Be kind to ${i}.\n`])),
    },
  });
  const works: Record<string, Work> = {};
  for (const [name = "", ...args] of [["validate"], ["plan"], ["apply", "-y"]]) {
    const work: Work = { characters: 0, elements: 0 };
    const ran = await counting.run(work, () => project.avatarops(name, ...args));
    expect(ran).toMatchObject({ exit: 0 });
    works[name] = work;
  }
  return works;
}

test("ten times as many contexts are about ten times the work", async () => {
  // What is done once in a process is not counted.
  await workOf(5);
  const few = await workOf(60);
  const many = await workOf(600);
  for (const [name, { characters, elements }] of Object.entries(many)) {
    expect(characters / (few[name]?.characters ?? 0), `characters: ${name}`).toBeLessThan(12);
    expect(elements / (few[name]?.elements ?? 0), `elements: ${name}`).toBeLessThan(12);
  }
}, 60_000);
