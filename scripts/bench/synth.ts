import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { alternate, type Benchmark, computeMedian, printTable } from "./support/benchmark.js";
import { assertSuccess, runNode } from "./support/run-node.js";

const count = 1_000;
const promptBytes = 4_096;
const rounds = 7;
const cwd = fileURLToPath(new URL("../..", import.meta.url));

export const synthesis: Benchmark = {
  name: "synth",
  measures: "CDKTF synthesis of our constructs and of plain resources",
  async run() {
    const outdir = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
    const apps = ["cdktf", "cdktn"].flatMap((library) =>
      Object.entries(loops).map(([what, loop]) => {
        const args = ["-e", generateApp(library, outdir, loop)];
        const name = `${library}, ${what}`;
        const run = async () => assertSuccess(name, await runNode(args, { cwd, withMemory: true }));
        return [name, run] as const;
      }),
    );
    const results = await alternate(rounds, Object.fromEntries(apps));
    await rm(outdir, { recursive: true });
    printTable(
      `Synthesizing ${count.toLocaleString("en")} resources with ${promptBytes / 1024} KB each, medians of ${rounds} alternating runs`,
      ["app", "ms", "peak MB"],
      [...results].map(([name, runs]) => [
        name,
        computeMedian(runs.map(({ wallMs }) => wallMs)).toFixed(0),
        computeMedian(runs.map(({ peakMb = Number.NaN }) => peakMb)).toFixed(0),
      ]),
    );
  },
};

const loops = {
  "no resource": "",
  terraform_data: `for (let i = 0; i < ${count}; i++) {
    const one = new cdk.TerraformResource(stack, "c" + i, { terraformResourceType: "terraform_data" });
    one.addOverride("input", text);
  }`,
  Context: `for (let i = 0; i < ${count}; i++) new ours.Context(stack, "c" + i, { name: "Context " + i, prompt: text });`,
};

function generateApp(library: string, outdir: string, loop: string): string {
  return `
    const cdk = require("${library}");
    const ours = require("avatarops/${library}");
    const text = "You help. ".repeat(${Math.ceil(promptBytes / 10)}).slice(0, ${promptBytes});
    const app = new cdk.App({ outdir: ${JSON.stringify(outdir)} });
    const stack = new cdk.TerraformStack(app, "stack");
    new ours.AvataropsProvider(stack, "account");
    ${loop}
    app.synth();
  `;
}
