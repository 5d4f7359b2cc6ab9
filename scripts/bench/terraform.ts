import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { goToolIn } from "../go-tools.js";
import { median, program, table } from "./child.js";
import { promptOf } from "./project.js";

const built = fileURLToPath(new URL("../../dist/terraform", import.meta.url));
const control = goToolIn("terraform-control", "a minimal provider in Go");

/** By number of resources: how often each command runs, in turn with those it is compared with. */
const sizes = [
  { count: 1, rounds: 5 },
  { count: 100, rounds: 5 },
  { count: 1_000, rounds: 1 },
];
const latencies = [0, 80];
const steps = [
  { name: "apply, all to create", args: ["apply", "-auto-approve"] },
  { name: "plan, nothing to do", args: ["plan", "-detailed-exitcode"] },
];

/**
 * Measures whole commands of the real terraform: with our provider, with a minimal one in Go that sends a request for
 * each read, and with terraform's own resource, which asks nobody.
 */
export async function terraformCommands(): Promise<void> {
  control.build();
  const rows: (string | number)[][] = [];
  // One home for all: from the second round on, V8's compiled code is in its cache, as where a provider is used often.
  const home = await mkdtemp(path.join(tmpdir(), "avatarops-bench-home-"));
  for (const { count, rounds } of sizes)
    for (const latencyMs of latencies) {
      const runs = new Map<Rival, Costs[]>(rivals.map((rival) => [rival, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [rival, costs] of runs) costs.push(await measure(rival, count, latencyMs, home));
      for (const [at, { name }] of steps.entries()) {
        const [alone = Number.NaN, go = Number.NaN, ours = Number.NaN] = rivals.map((rival) =>
          median((runs.get(rival) ?? []).map((costs) => costs[at]?.seconds ?? Number.NaN)),
        );
        const [, asked, sent] = rivals.map((rival) => runs.get(rival)?.[0]?.[at]?.requests ?? Number.NaN);
        const seconds = [alone, go, ours].map((value) => value.toFixed(2));
        rows.push([name, count, latencyMs, ...seconds, (ours / go).toFixed(2), `${asked} / ${sent}`]);
      }
    }
  await rm(home, { recursive: true });
  table(
    "Whole commands of terraform over N contexts with prompts of 4 KB, medians",
    ["command", "N", "ms a request", "s, alone", "s, Go", "s, ours", "ours / Go", "requests"],
    rows,
  );
}

/** Seconds and requests of each step. */
type Costs = readonly { readonly seconds: number; readonly requests: number }[];

/** What terraform works with. */
interface Rival {
  readonly resource: (at: number) => string;
  /** Puts the provider into a folder for `filesystem_mirror`. */
  readonly provider?: { readonly name: string; install(mirror: string): Promise<void> };
}

const fields = (at: number) => `name   = "Context ${at}"
  prompt = ${JSON.stringify(promptOf(at, 4_096))}`;

const rivals: readonly Rival[] = [
  {
    resource: (at) => `resource "terraform_data" "c${at}" {
  input = { ${fields(at).replace("\n", ", ")} }
}
`,
  },
  {
    resource: (at) => `resource "control_context" "c${at}" {
  ${fields(at)}
}
`,
    provider: {
      name: "control",
      async install(mirror) {
        const { stdout } = spawnSync("terraform", ["version", "-json"], { encoding: "utf8" });
        const { platform } = JSON.parse(stdout) as { platform: string };
        const folder = path.join(mirror, "registry.terraform.io/avatarops/control/1.0.0", platform);
        await mkdir(folder, { recursive: true });
        await cp(control.program, path.join(folder, "terraform-provider-control_v1.0.0"));
      },
    },
  },
  {
    resource: (at) => `resource "avatarops_context" "c${at}" {
  ${fields(at)}
}
`,
    // A copy: a build during the run would differ from the locked package.
    provider: { name: "avatarops", install: (mirror) => cp(built, mirror, { recursive: true }) },
  },
];

async function measure(
  { resource, provider }: Rival,
  count: number,
  latencyMs: number,
  home: string,
): Promise<Costs> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
  const emulator = await startEmulatorProcess(latencyMs);
  try {
    const required = provider
      ? `terraform {
  required_providers {
    ${provider.name} = { source = "avatarops/${provider.name}" }
  }
}
`
      : "";
    const resources = Array.from({ length: count }, (_, at) => resource(at));
    await writeFile(path.join(folder, "main.tf"), [required, ...resources].join("\n"));
    const mirror = path.join(folder, "mirror");
    await mkdir(mirror);
    await provider?.install(mirror);
    const cliConfig = `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
    await writeFile(path.join(folder, "terraformrc"), cliConfig);
    const run = (args: readonly string[]) => runTerraform({ folder, home, url: emulator.url }, args);
    await run(["init"]);
    const costs = [];
    for (const { args } of steps) {
      const before = await emulator.countRequests();
      const started = performance.now();
      await run(args);
      const seconds = (performance.now() - started) / 1000;
      costs.push({ seconds, requests: (await emulator.countRequests()) - before });
    }
    return costs;
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with terraform's output; with `-detailed-exitcode`, also if there are changes. */
async function runTerraform(
  { folder, home, url }: Record<"folder" | "home" | "url", string>,
  args: readonly string[],
): Promise<void> {
  const child = spawn("terraform", [...args, "-no-color"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TF_CLI_CONFIG_FILE: path.join(folder, "terraformrc"),
      CHECKPOINT_DISABLE: "1",
      AVATAROPS_BASE_URL: url,
      AVATAROPS_API_KEY: "test-key",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [exit] = (await once(child, "close")) as [number | null];
  if (exit !== 0) throw new Error(`terraform ${args.join(" ")} ended with ${exit}:\n${said}`);
}

/** The service in its own process, so that its CPU time is not counted as the client's. */
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
      const answer = await fetch(`${url}/_emulator`, { headers: { "X-API-KEY": "test-key" } });
      if (!answer.ok) throw new Error(`the emulator does not answer: ${await answer.text()}`);
      return ((await answer.json()) as { requests: number }).requests;
    },
    async close(): Promise<void> {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
