import { expect, test } from "vitest";
import {
  type Context,
  type Dataset,
  emptyDataset,
  generateDataset,
  sampleDataset,
} from "../../src/emulator/index.js";
import { saying, startProject } from "../cli/hosting.js";

const longAgo = Date.now() - 3_600_000;
const inAccount = ["-f", "account/avatarops.config.ts"];

function worldWith(...contexts: readonly Partial<Context>[]): Dataset {
  const world = generateDataset({ contexts: contexts.length });
  return { ...world, contexts: world.contexts.map((context, at) => ({ ...context, ...contexts[at] })) };
}

async function exported(world: Dataset) {
  const project = await startProject({ world, emulator: { behaviour: { contextNames: "free" } } });
  const result = await project.avatarops("export", "--typescript", "account");
  expect(result, result.stderr).toMatchObject({ exit: 0 });
  return project;
}

test("writes an account as TypeScript that plans nothing, with each prompt as a file", async () => {
  const project = await exported(sampleDataset(longAgo));
  await project.expectNothingToDo(...inAccount);
  await project.expectNothingToDo(...inAccount, "--refresh", "full");
  const main = await project.read("account/avatarops.config.ts");
  expect(main).toContain('prompt: promptFile("prompts/');
  // Edited in the dashboard, a prompt comes back into its file.
  const { name = "" } = project.emulator.world.contexts[0] ?? {};
  project.emulator.editContext(name, { prompt: "Edited." });
  expect(await project.avatarops("pull", ...inAccount)).toMatchObject({ exit: 0 });
  expect(await project.read("account/avatarops.config.ts")).toBe(main);
  await project.expectNothingToDo(...inAccount);
});

test.each<[string, Partial<Context>[]]>([
  ["quotes, backticks and placeholders", [{ name: "\"'`${name}\\", opening_text: "`${x}`\n'\"\\u0041" }]],
  [
    "what would end a comment, a string or a script",
    [{ name: '*/ "); process.exit(9); //', prompt: "</script>" }],
  ],
  ["separators, marks and what cannot be seen", [{ name: "a\u2028b\u2029c\uFEFF\u0007", prompt: "\uFEFFx" }]],
  [
    "emoji, and half of one",
    [{ name: "👩‍🔧", prompt: "🦊", opening_text: "\uD83D" }, { prompt: "a\uD800b" }],
  ],
  [
    "empty texts",
    [{ prompt: "", opening_text: "" }, { prompt: "\n" }, { prompt: "\r" }, { prompt: "a\r\n" }],
  ],
  ["names that are words of TypeScript", [{ name: "constructor" }, { name: "__proto__" }, { name: "class" }]],
  ["two of one name", [{ name: "Twin" }, { name: "Twin" }]],
  ["names in other scripts", [{ name: "客服" }, { name: "Поддержка" }, { name: "الدعم الفني" }]],
  [
    "links",
    [
      {
        links: [
          { id: "x", url: "https://example.com/?a='b'", faq: "" },
          { id: "y", url: "http://e.org", faq: "`é`" },
        ],
      },
    ],
  ],
])("plans nothing after an export of %s", async (_what, contexts) => {
  const project = await exported(worldWith(...contexts));
  await project.expectNothingToDo(...inAccount);
  await project.expectNothingToDo(...inAccount, "--refresh", "full");
});

test("shows nothing that reorders or hides what is read", async () => {
  const project = await exported(worldWith({ name: "a\u202Eb\u200Bc", prompt: "p" }));
  expect(await project.read("account/avatarops.config.ts")).toContain('name: "a\\u202eb\\u200bc"');
});

test("writes the address down where it was given", async () => {
  const project = await startProject({ world: emptyDataset() });
  const { url } = project.emulator;
  expect(await project.avatarops("export", "--typescript", "a", "--base-url", url)).toMatchObject({
    exit: 0,
  });
  expect(await project.read("a/avatarops.config.ts")).toContain(`baseUrl: "${url}"`);
  await project.expectNothingToDo("-f", "a/avatarops.config.ts");
});

test.each([
  ["--typescript", "avatarops.yaml", "contexts: {}\n"],
  ["--typescript", "avatarops.config.ts", "export {};\n"],
  ["--quiet", "avatarops.config.ts", "export {};\n"],
])("does not write beside another manifest (%s, %s)", async (option, file, text) => {
  const project = await startProject({ world: emptyDataset(), files: { [`a/${file}`]: text } });
  expect(await project.avatarops("export", option, "a")).toMatchObject({
    exit: 1,
    stderr: saying(`already has ${file}`),
  });
  expect(await project.read(`a/${file}`)).toBe(text);
});
