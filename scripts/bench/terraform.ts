import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { version } from "../../src/base/version/index.js";
import { buildForThisMachine } from "../executables/build.js";
import { tools } from "../tools.js";
import { type Benchmark, computeMedian, printTable } from "./support/benchmark.js";
import { createPrompt } from "./support/project.js";
import { program } from "./support/run-node.js";

const built = fileURLToPath(new URL("../../dist/terraform", import.meta.url));
const control = tools["terraform-control"];

/** Number of rounds for each number of resources. Every round measures all providers in turn. */
const sizes = [
  { count: 1, rounds: 5 },
  { count: 100, rounds: 7 },
  { count: 1_000, rounds: 3 },
];
const latencies = [0, 80];
const steps = [
  { name: "apply, all to create", args: ["apply", "-auto-approve"] },
  { name: "plan, nothing to do", args: ["plan", "-detailed-exitcode"] },
];

/**
 * Prints the wall time and the CPU time of terraform and its plugins for each size. The Go provider is minimal and
 * sends a request for each read.
 */
export const terraform: Benchmark = {
  name: "terraform",
  measures: "terraform with our provider, as package and executable, and with a Go provider",
  async run() {
    control.install();
    await using executable = await makeExecutable();
    const rivals = [
      go,
      defineOurs("package", (mirror) => cp(built, mirror, { recursive: true })),
      defineOurs("executable", executable.install),
    ];
    // Shares one home folder, so V8's code cache is warm from the second round on, as in daily use.
    const home = await mkdtemp(path.join(tmpdir(), "avatarops-bench-home-"));
    for (const { count, rounds } of sizes)
      for (const latencyMs of latencies) {
        const runs = new Map<Rival, Costs[]>(rivals.map((rival) => [rival, []]));
        for (let round = 0; round < rounds; round += 1)
          for (const [rival, costs] of runs) costs.push(await measure(rival, count, latencyMs, home));
        const rows: (string | number)[][] = [];
        const [reference = [], ...others] = [...runs.values()];
        for (const [at, { name }] of steps.entries())
          for (const [index, costs] of others.entries()) {
            const times = (what: "seconds" | "cpu") =>
              computeMedian(
                costs.map(
                  (cost, round) => (cost[at]?.[what] ?? NaN) / (reference[round]?.[at]?.[what] ?? NaN),
                ),
              ).toFixed(2);
            const seconds = (of: readonly Costs[]) =>
              computeMedian(of.map((cost) => cost[at]?.seconds ?? NaN)).toFixed(2);
            const requests = [reference, costs].map((of) => of[0]?.[at]?.requests).join(" / ");
            rows.push([
              name,
              rivals[index + 1]?.name ?? "",
              seconds(reference),
              seconds(costs),
              times("seconds"),
              times("cpu"),
              requests,
            ]);
          }
        printTable(
          `Whole commands of terraform over ${count} contexts with prompts of 4 KB, ${latencyMs} ms a request, medians of alternating runs`,
          ["command", "provider", "s, Go", "s, ours", "ours / Go", "CPU, ours / Go", "requests"],
          rows,
        );
      }
    await rm(home, { recursive: true });
  },
};

/** Wall time, CPU time and requests, by step. */
type Costs = readonly { readonly seconds: number; readonly cpu: number; readonly requests: number }[];

interface Rival {
  readonly name: string;
  /** Provider name in Terraform. */
  readonly provider: string;
  /** Installs the provider into a folder for `filesystem_mirror`. */
  install(mirror: string): Promise<void>;
}

const go: Rival = {
  name: "Go",
  provider: "control",
  install: async (mirror) =>
    cp(
      control.path,
      path.join(await newMirror(mirror, "control", "1.0.0"), "terraform-provider-control_v1.0.0"),
    ),
};

function defineOurs(name: string, install: Rival["install"]): Rival {
  return { name, provider: "avatarops", install };
}

/**
 * Builds the executable for this machine. Under a provider's file name, the executable acts as the provider.
 */
async function makeExecutable() {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-bench-executable-"));
  const file = await buildForThisMachine(folder, version);
  return {
    install: async (mirror: string) =>
      cp(
        file,
        path.join(await newMirror(mirror, "avatarops", version), `terraform-provider-avatarops_v${version}`),
      ),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function newMirror(mirror: string, provider: string, version: string): Promise<string> {
  const { stdout } = spawnSync("terraform", ["version", "-json"], { encoding: "utf8" });
  const { platform } = JSON.parse(stdout) as { platform: string };
  const folder = path.join(mirror, "registry.terraform.io/avatarops", provider, version, platform);
  await mkdir(folder, { recursive: true });
  return folder;
}

function generateResources(provider: string, count: number): string {
  const one = (_: unknown, at: number) => `resource "${provider}_context" "c${at}" {
  name   = "Context ${at}"
  prompt = ${JSON.stringify(createPrompt(at, 4_096))}
}
`;
  return Array.from({ length: count }, one).join("\n");
}

async function measure(rival: Rival, count: number, latencyMs: number, home: string): Promise<Costs> {
  const { provider } = rival;
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
  const emulator = await startEmulatorProcess(latencyMs);
  try {
    const required = `terraform {
  required_providers {
    ${provider} = { source = "avatarops/${provider}" }
  }
}
`;
    await writeFile(path.join(folder, "main.tf"), required + generateResources(provider, count));
    const mirror = path.join(folder, "mirror");
    await mkdir(mirror);
    await rival.install(mirror);
    const cliConfig = `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
    await writeFile(path.join(folder, "terraformrc"), cliConfig);
    const run = (args: readonly string[]) => runTerraform({ folder, home, url: emulator.url }, args);
    await run(["init"]);
    const costs = [];
    for (const { args } of steps) {
      const before = await emulator.countRequests();
      const started = performance.now();
      const cpu = await run(args);
      const seconds = (performance.now() - started) / 1000;
      costs.push({ seconds, cpu, requests: (await emulator.countRequests()) - before });
    }
    return costs;
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shell command whose last line of output is the CPU time of terraform and its children. */
const withTimes = 'terraform "$@" -no-color >/dev/null; status=$?; times; exit $status';

/**
 * Returns the CPU seconds of terraform and its plugins. Throws terraform's output if it fails, or if a plan with
 * `-detailed-exitcode` has changes.
 */
async function runTerraform(
  { folder, home, url }: Record<"folder" | "home" | "url", string>,
  args: readonly string[],
): Promise<number> {
  const child = spawn("bash", ["-c", withTimes, "bash", ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TF_CLI_CONFIG_FILE: path.join(folder, "terraformrc"),
      CHECKPOINT_DISABLE: "1",
      AVATAROPS_BASE_URL: url,
      AVATAROPS_API_KEY: "test-key",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: string[] = [];
    stream.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
    return chunks;
  });
  const [exit] = (await once(child, "close")) as [number | null];
  if (exit !== 0) throw new Error(`terraform ${args.join(" ")} exited with ${exit}:\n${stderr?.join("")}`);
  const [last = ""] = stdout?.join("").trim().split("\n").slice(-1) ?? [];
  return Array.from(last.matchAll(/(\d+)m([\d.]+)s/g)).reduce(
    (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
    0,
  );
}

/** Runs the service in a separate process, so that its CPU time is not counted. */
async function startEmulatorProcess(latencyMs: number) {
  const slow = ["--fault", `* * delay ms=${latencyMs} times=always`];
  const child = spawn(process.execPath, [program, "emulate", "--port", "0", "--empty", "--quiet", ...slow], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const url = /AVATAROPS_BASE_URL=(\S+)/.exec(line)?.[1] ?? "";
  return {
    url,
    async countRequests(): Promise<number> {
      const response = await fetch(`${url}/_emulator`, { headers: { "X-API-KEY": "test-key" } });
      if (!response.ok) throw new Error(`The emulator does not respond: ${await response.text()}`);
      return ((await response.json()) as { requests: number }).requests;
    },
    async close(): Promise<void> {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
