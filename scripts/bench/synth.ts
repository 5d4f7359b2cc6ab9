import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { median, printTable, runNode } from "./child.js";

const count = 1_000;
const promptBytes = 4_096;
const rounds = 7;
const cwd = fileURLToPath(new URL("../..", import.meta.url));

/** Compares synthesis with the same number of CDKTF resources, alternately and in separate processes. */
export async function measureSynthesis(): Promise<void> {
  const outdir = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
  const apps = ["cdktf", "cdktn"].flatMap((library) =>
    Object.entries(loops).map(([what, loop]) => ({
      name: `${library}, ${what}`,
      code: generateApp(library, outdir, loop),
    })),
  );
  const times = apps.map((): number[] => []);
  const peaks = apps.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, { name, code }] of apps.entries()) {
      const {
        exit,
        wallMs,
        peakMb = Number.NaN,
        stderr,
      } = await runNode(["-e", code], { cwd, withMemory: true });
      if (exit !== 0) throw new Error(`${name} failed: ${stderr}`);
      // The first round only warms the file caches.
      if (round === 0) continue;
      times[at]?.push(wallMs);
      peaks[at]?.push(peakMb);
    }
  }
  await rm(outdir, { recursive: true });
  printTable(
    `Synthesising ${count.toLocaleString("en")} resources with ${promptBytes / 1024} KB each, medians of ${rounds} alternating runs`,
    ["app", "ms", "peak MB"],
    apps.map(({ name }, at) => [
      name,
      median(times[at] ?? []).toFixed(0),
      median(peaks[at] ?? []).toFixed(0),
    ]),
  );
}

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
