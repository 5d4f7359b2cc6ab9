import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Says at the end of a run where the time went, by suite: a folder of tests. The share tells more than the seconds where
 * the machine has other work. One suite alone needs no table.
 */
export class SuiteTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const suites = [...new Set(modules.map(suiteOf))];
    if (suites.length < 2) return;
    const rows = suites
      .map((suite) =>
        row(
          suite,
          modules.filter((module) => suiteOf(module) === suite),
        ),
      )
      .toSorted((one, other) => other.seconds - one.seconds);
    const all = row("all", modules);
    const width = Math.max(...rows.map(({ suite }) => suite.length));
    const lines = [...rows, all].map(({ suite, files, tests, seconds }) => {
      const share = `${Math.round((100 * seconds) / Math.max(all.seconds, 1))} %`;
      return [suite.padEnd(width), cell(files), cell(tests), cell(seconds), cell(share)].join(" | ");
    });
    console.log(
      `
Where the time went, in seconds of one worker of several:

| ${"suite".padEnd(width)} | files | tests |    s  | share |
| ${"-".repeat(width)} | ----: | ----: | ----: | ----: |
${lines.map((line) => `| ${line} |`).join("\n")}
`,
    );
  }
}

function row(suite: string, modules: readonly TestModule[]) {
  const tests = sum(modules.map(({ children }) => Array.from(children.allTests()).length));
  return {
    suite,
    files: modules.length,
    tests,
    seconds: Math.round(sum(modules.map(millisecondsOf)) / 1000),
  };
}

/** `test/api`, `packages/terraform-plugin/test`; `test` for the files beside the folders. */
function suiteOf({ moduleId, project }: TestModule): string {
  const folders = path.relative(project.config.root, path.dirname(moduleId)).split(path.sep);
  return folders.slice(0, folders[0] === "packages" ? 3 : 2).join("/");
}

/** Also what comes before the first test: the file is loaded with all that it imports. */
function millisecondsOf(module: TestModule): number {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  return prepareDuration + collectDuration + setupDuration + duration;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function cell(content: number | string): string {
  return String(content).padStart(5);
}
