// @module-tag night
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
    const from = isPattern ? (this.global || this.sticky ? this.lastIndex : 0) : Number(given[1]) || 0;
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
    (pattern: RegExp, found: RegExpExecArray | null, text: unknown) => ({
      characters: found ? found.index + found[0].length : pattern.sticky ? 0 : String(text).length,
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

type Files = Readonly<Record<string, string>>;

const prompt = (i: number) => `Be kind to ${i}.\n`;
const prompts = (numbers: readonly number[]): Files =>
  Object.fromEntries(numbers.map((i) => [`prompts/${i}.md`, prompt(i)]));
const inline = (i: number) => `  c${i}:\n    name: C${i}\n    prompt: |\n      ${prompt(i)}`;

const layouts: Readonly<Record<string, (numbers: readonly number[]) => Files>> = {
  "one YAML file and a file for each prompt": (numbers) => ({
    "avatarops.yaml": `contexts:\n${numbers.map((i) => `  c${i}: { name: C${i}, prompt: !file prompts/${i}.md }\n`).join("")}`,
    ...prompts(numbers),
  }),
  "one YAML file": (numbers) => ({ "avatarops.yaml": `contexts:\n${numbers.map(inline).join("")}` }),
  "many YAML files": (numbers) => ({
    "avatarops.yaml": "include: [contexts/*.yaml]\n",
    ...Object.fromEntries(numbers.map((i) => [`contexts/${i}.yaml`, `contexts:\n${inline(i)}`])),
  }),
  "Markdown files": (numbers) => ({
    "avatarops.yaml": "include: [contexts/*.md]\n",
    ...Object.fromEntries(numbers.map((i) => [`contexts/c${i}.md`, `---\nname: C${i}\n---\n${prompt(i)}`])),
  }),
  // In a loop: what the compiler does for each statement is not ours.
  TypeScript: (numbers) => ({
    "avatarops.config.ts": `import { Context, Project, promptFile } from "avatarops";
const project = new Project();
for (const i of ${JSON.stringify(numbers)})
  new Context(project, \`c\${i}\`, { name: \`C\${i}\`, prompt: promptFile(\`prompts/\${i}.md\`) });
export default project;
`,
    ...prompts(numbers),
  }),
};

/** In turn; before `drift`, somebody edits every prompt in the dashboard. */
const commands = [["validate"], ["plan"], ["apply", "-y"], ["drift"], ["pull"], ["export", "exported"]];

/** What each command does in a project of so many contexts. */
async function workOf(layout: string, contexts: number): Promise<Readonly<Record<string, Work>>> {
  const numbers = Array.from({ length: contexts }, (_, i) => i + 1_000);
  const files = layouts[layout]?.(numbers) ?? {};
  const { emulator, avatarops } = await startProject({ world: emptyDataset(), files });
  const works: Record<string, Work> = {};
  for (const [name = "", ...args] of commands) {
    if (name === "drift")
      for (const { id } of [...emulator.world.contexts]) emulator.editContext(id, { prompt: "Be brief." });
    const work: Work = { characters: 0, elements: 0 };
    const ran = await counting.run(work, () => avatarops(name, ...args));
    expect([0, name === "drift" ? 2 : 0], ran.stderr).toContain(ran.exit);
    works[name] = work;
  }
  return works;
}

test.each(Object.keys(layouts))(
  "ten times as many contexts are about ten times the work: %s",
  async (layout) => {
    // What is done once in a process is not counted.
    await workOf(layout, 5);
    const few = await workOf(layout, 30);
    const many = await workOf(layout, 300);
    for (const [name, { characters, elements }] of Object.entries(many)) {
      expect(characters / (few[name]?.characters ?? 0), `characters: ${name}`).toBeLessThan(12);
      expect(elements / (few[name]?.elements ?? 0), `elements: ${name}`).toBeLessThan(12);
    }
  },
);
