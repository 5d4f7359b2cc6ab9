import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { alternate, type Benchmark, compareMedians, printTable } from "./support/benchmark.js";
import { createAccount, withEmulator, writeFiles } from "./support/project.js";
import { runCommand } from "./support/run-node.js";

const count = 1_000;
const rounds = 7;

export const typeScript: Benchmark = {
  name: "typescript",
  measures: "TypeScript projects relative to the same projects in YAML",
  async run() {
    const world = createAccount(count, 500);
    const folder = await writeFiles(generateProjects([...world.contexts]));
    await withEmulator({ world }, async (_, environment) => {
      const args = (file: string) => ["plan", "--quiet", "-f", file];
      await runCommand(["apply", "--auto-approve", "--quiet"], { cwd: folder, environment });
      const title = `Planning ${count.toLocaleString("en")} contexts, medians of ${rounds} alternating runs`;
      await compare(title, {
        YAML: { args: args("avatarops.yaml"), cwd: folder, environment },
        "TypeScript, one statement each": { args: args("statements.ts"), cwd: folder, environment },
        "TypeScript, a loop over JSON": { args: args("loop.ts"), cwd: folder, environment },
      });
    });
    await rm(folder, { recursive: true });
    const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    await compare(`Validating the example, medians of ${rounds} alternating runs`, {
      YAML: { args: ["validate", "--quiet"], cwd: example("yaml") },
      TypeScript: { args: ["validate", "--quiet"], cwd: example("typescript") },
    });
  },
};

function generateProjects(contexts: readonly { name: string; prompt: string }[]): Record<string, string> {
  const props = contexts.map(({ name, prompt }) => JSON.stringify({ name, prompt }));
  const begin = 'import { Context, Project } from "avatarops";\n';
  const project = "const project = new Project();\n";
  const end = "export default project;\n";
  const statements = props.map((one, at) => `new Context(project, "c${at}", ${one});\n`).join("");
  const loop = "for (const [at, props] of contexts.entries()) new Context(project, `c${at}`, props);\n";
  return {
    "avatarops.yaml": `contexts:\n${props.map((one, at) => `  c${at}: ${one}\n`).join("")}`,
    "statements.ts": begin + project + statements + end,
    "loop.ts": `${begin}import contexts from "./contexts.json";\n${project}${loop}${end}`,
    "contexts.json": `[${props.join(",\n")}]`,
  };
}

interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Record<string, string>;
}

async function compare(title: string, commands: Readonly<Record<string, Command>>): Promise<void> {
  const cases = Object.entries(commands).map(
    ([name, { args, ...options }]) => [name, async () => (await runCommand(args, options)).wallMs] as const,
  );
  const times = await alternate(rounds, Object.fromEntries(cases));
  printTable(title, ["project", "ms", "× YAML"], compareMedians(times));
}
