/**
 * Measures requests, memory and time of avatarops, and prints tables. Results never fail the run. `npm run bench --
 * requests start-up` runs only these benchmarks.
 */
import { firstApply } from "./bench/first-apply.js";
import { growth } from "./bench/growth.js";
import { projectLayouts } from "./bench/layouts.js";
import { planning } from "./bench/planning.js";
import { providerStart } from "./bench/provider-start.js";
import { applyRate } from "./bench/rate.js";
import { recovery } from "./bench/recovery.js";
import { requests } from "./bench/requests.js";
import { sessions } from "./bench/sessions.js";
import { startUp } from "./bench/start-up.js";
import type { Benchmark } from "./bench/support/benchmark.js";
import { synthesis } from "./bench/synth.js";
import { terraform } from "./bench/terraform.js";
import { typeScript } from "./bench/typescript.js";
import { week } from "./bench/week.js";
import { exitWithUsage, readOptions } from "./options.js";

const benchmarks: readonly Benchmark[] = [
  ...[requests, planning, growth, projectLayouts, startUp, applyRate, typeScript, synthesis],
  ...[providerStart, terraform, week, firstApply, recovery, sessions],
];

const list = benchmarks.map(({ name, measures }) => `\n  ${name.padEnd(16)}${measures}`);
const usage = "npm run bench -- [BENCHMARK]…";
const { positionals: wanted } = readOptions(
  `${usage}, of: ${benchmarks.map(({ name }) => name).join(", ")}`,
  {
    allowPositionals: true,
  },
);
for (const name of wanted)
  if (!benchmarks.some((benchmark) => benchmark.name === name))
    exitWithUsage(`${usage}, of:${list.join("")}`, `Unknown benchmark ${name}`);
for (const { name, run } of benchmarks) if (wanted.length === 0 || wanted.includes(name)) await run();
