import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { program, table } from "./child.js";
import { promptOf } from "./project.js";

const built = fileURLToPath(new URL("../../dist/terraform", import.meta.url));

/** Measures whole commands of the real terraform, compared with terraform alone. */
export async function terraformCommands(): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const count of [1, 100, 1_000]) {
    const alone = await costsOf(count, builtIn);
    const ours = await costsOf(count, contexts);
    for (const [at, { name }] of steps.entries()) {
      const [{ seconds, requests } = none, control = none] = [ours[at], alone[at]];
      const ratio = (seconds / control.seconds).toFixed(2);
      rows.push([name, count, seconds.toFixed(1), control.seconds.toFixed(1), ratio, requests]);
    }
  }
  table(
    "Whole commands of terraform over N contexts with prompts of 4 KB, beside N `terraform_data`",
    ["command", "N", "s", "s, terraform alone", "ratio", "requests"],
    rows,
  );
}

const steps = [
  { name: "plan, all to create", args: ["plan"], latencyMs: 0 },
  { name: "apply", args: ["apply", "-auto-approve"], latencyMs: 0 },
  { name: "plan, nothing to do", args: ["plan", "-detailed-exitcode"], latencyMs: 0 },
  { name: "the same, 50 ms a request", args: ["plan", "-detailed-exitcode"], latencyMs: 50 },
];

const none = { seconds: Number.NaN, requests: 0 };

const required = `terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

/** One resource of each type, by its number. */
type Written = (at: number) => string;

const contexts: Written = (at) => `resource "avatarops_context" "c${at}" {
  name   = "Context ${at}"
  prompt = ${JSON.stringify(promptOf(at, 4_096))}
}
`;

const builtIn: Written = (at) => `resource "terraform_data" "c${at}" {
  input = { name = "Context ${at}", prompt = ${JSON.stringify(promptOf(at, 4_096))} }
}
`;

async function costsOf(count: number, written: Written): Promise<(typeof none)[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
  const emulator = await startEmulatorProcess();
  try {
    const resources = Array.from({ length: count }, (_, at) => written(at));
    await writeFile(
      path.join(folder, "main.tf"),
      [...(written === contexts ? [required] : []), ...resources].join("\n"),
    );
    await mkdir(path.join(folder, "home"));
    // A copy: a build during the run would differ from the locked package.
    const mirror = path.join(folder, "mirror");
    await cp(built, mirror, { recursive: true });
    const cliConfig = `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
    await writeFile(path.join(folder, "terraformrc"), cliConfig);
    const run = (args: readonly string[]) => runTerraform(folder, emulator.url, args);
    await run(["init"]);
    const costs: (typeof none)[] = [];
    for (const { args, latencyMs } of steps) {
      await emulator.ask("POST", "behaviour", { latencyMs });
      await emulator.ask("DELETE", "requests");
      const started = performance.now();
      await run(args);
      const seconds = (performance.now() - started) / 1000;
      const requests = (await emulator.ask("GET", "requests")) as unknown[];
      costs.push({ seconds, requests: requests.length });
    }
    return costs;
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with terraform's output; with `-detailed-exitcode`, also if there are changes. */
async function runTerraform(folder: string, url: string, args: readonly string[]): Promise<void> {
  const child = spawn("terraform", [...args, "-no-color"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: path.join(folder, "home"),
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
async function startEmulatorProcess() {
  const child = spawn(process.execPath, [program, "emulate", "--port", "0", "--empty", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const url = /AVATAROPS_BASE_URL=(\S+)/.exec(line)?.[1] ?? "";
  return {
    url,
    async ask(method: string, what: string, body?: unknown): Promise<unknown> {
      const answer = await fetch(`${url}/_emulator/${what}`, {
        method,
        headers: { "X-API-KEY": "test-key", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`the emulator refused ${method} ${what}: ${await answer.text()}`);
      return answer.json();
    },
    async close(): Promise<void> {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
