import { rm } from "node:fs/promises";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { createPrompt, withEmulator, writeFiles } from "./support/project.js";
import { program, type RunResult, runNode } from "./support/run-node.js";

const sizes = [1_000, 10_000] as const;
const promptBytes = 4_096;
/** Time after which the remaining layouts are skipped. */
const limitMs = 10 * 60_000;

type Files = Readonly<Record<string, string>>;
type Layout = (count: number) => Files;

const makeKey = (at: number) => `c${String(at).padStart(5, "0")}`;
const listNumbers = (count: number) => Array.from({ length: count }, (_, at) => at);

const makeText = (at: number) => createPrompt(at, promptBytes);
/** Returns a short prompt for the single-file layout, which is limited to 16 MB. */
const makeShortText = (at: number) => createPrompt(at, 1_024);
const createPrompts = (count: number): Files =>
  Object.fromEntries(listNumbers(count).map((at) => [`prompts/${makeKey(at)}.md`, `${makeText(at)}\n`]));

const formatFromFile = (at: number) =>
  `  ${makeKey(at)}:\n    name: Context ${at}\n    prompt: !file prompts/${makeKey(at)}.md\n`;
const formatInline = (textOf: (at: number) => string) => (at: number) =>
  `  ${makeKey(at)}:\n    name: Context ${at}\n    prompt: |\n${textOf(at).replace(/^/gm, "      ")}\n`;
const createOneFile = (entry: (at: number) => string, count: number) =>
  `contexts:\n${listNumbers(count).map(entry).join("")}`;
const createManyFiles = (entry: (at: number) => string, count: number): Files => ({
  "avatarops.yaml": "include: [contexts/*.yaml]\n",
  ...Object.fromEntries(
    listNumbers(count).map((at) => [`contexts/${makeKey(at)}.yaml`, `contexts:\n${entry(at)}`]),
  ),
});
const createCode = (prompt: (at: number) => string, count: number): Files => ({
  "avatarops.config.ts": [
    'import { Context, Project, promptFile } from "avatarops";\n',
    "const project = new Project();\n",
    ...listNumbers(count).map(
      (at) => `new Context(project, "${makeKey(at)}", { name: "Context ${at}", prompt: ${prompt(at)} });\n`,
    ),
    "export default project;\n",
  ].join(""),
});

const layouts: Readonly<Record<string, Layout>> = {
  "one YAML, !file": (count) => ({
    "avatarops.yaml": createOneFile(formatFromFile, count),
    ...createPrompts(count),
  }),
  "one YAML, inline (1 KB)": (count) => ({
    "avatarops.yaml": createOneFile(formatInline(makeShortText), count),
  }),
  "many YAMLs, !file": (count) => ({
    ...createManyFiles((at) => formatFromFile(at).replace("!file ", "!file ../"), count),
    ...createPrompts(count),
  }),
  "many YAMLs, inline": (count) => createManyFiles(formatInline(makeText), count),
  "Markdown with front matter": (count) => ({
    "avatarops.yaml": "include: [contexts/*.md]\n",
    ...Object.fromEntries(
      listNumbers(count).map((at) => [
        `contexts/${makeKey(at)}.md`,
        `---\nname: Context ${at}\n---\n${makeText(at)}\n`,
      ]),
    ),
  }),
  "TypeScript, promptFile": (count) => ({
    ...createCode((at) => `promptFile("prompts/${makeKey(at)}.md")`, count),
    ...createPrompts(count),
  }),
  "TypeScript, inline (1 KB)": (count) => createCode((at) => JSON.stringify(makeShortText(at)), count),
};

/** Commands in order. With `edits`, every prompt is first edited in the dashboard. */
const commands: readonly { name: string; args: readonly string[]; edits?: true }[] = [
  { name: "validate", args: ["validate"] },
  { name: "apply", args: ["apply", "--auto-approve"] },
  { name: "plan", args: ["plan"] },
  { name: "drift", args: ["drift"], edits: true },
  { name: "pull", args: ["pull"] },
  { name: "export", args: ["export", "exported"] },
];

type Costs = Map<string, readonly RunResult[]>;

export const projectLayouts: Benchmark = {
  name: "layouts",
  measures: "CPU time of commands by project layout, from 1,000 to 10,000 contexts",
  async run() {
    const rows: (string | number)[][] = [];
    const untilMs = performance.now() + limitMs;
    const leftOut: string[] = [];
    for (const [name, layout] of Object.entries(layouts)) {
      if (performance.now() > untilMs) {
        leftOut.push(name);
        continue;
      }
      const costs: Costs = new Map();
      for (const count of sizes) await measure(layout(count), costs);
      for (const [command, runs] of costs) {
        const [few = Number.NaN, many = Number.NaN] = runs.map(({ cpuMs = Number.NaN }) => cpuMs / 1000);
        const peak = Math.round(runs.at(-1)?.peakMb ?? Number.NaN);
        rows.push([name, command, few.toFixed(2), many.toFixed(2), (many / few).toFixed(1), peak]);
      }
    }
    const counts = sizes.map((size) => `${size.toLocaleString("en")}: CPU s`);
    printTable("Contexts with prompts of 4 KB", ["layout", "command", ...counts, "ratio", "peak MB"], rows);
    if (leftOut.length > 0)
      console.log(`\nSkipped after ${limitMs / 60_000} minutes: ${leftOut.join("; ")}.`);
  },
};

async function measure(files: Files, costs: Costs): Promise<void> {
  const folder = await writeFiles(files);
  await withEmulator({ world: createEmptyDataset() }, async (emulator, environment) => {
    for (const { name, args, edits = false } of commands) {
      const contexts = edits ? [...emulator.world.contexts] : [];
      for (const { id, prompt } of contexts) emulator.editContext(id, { prompt: `${prompt}\nBe kind.` });
      const ran = await runNode([program, ...args], { cwd: folder, environment, withMemory: true });
      // `drift` exits with 2 for drift, and `pull` with 1 if it cannot edit code.
      const isExpected =
        ran.exit === 0 || (name === "drift" ? ran.exit === 2 : name === "pull" && ran.exit === 1);
      if (!isExpected) throw new Error(`${name} exited with ${ran.exit}: ${ran.stderr.slice(0, 2_000)}`);
      costs.set(name, [...(costs.get(name) ?? []), ran]);
    }
  });
  await rm(folder, { recursive: true });
}
