import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyDataset } from "../../src/emulator/index.js";
import { median, printTable, program, runNode } from "./child.js";
import { startGitServer } from "./git-server.js";
import { createAccount, withEmulator, writeContexts } from "./project.js";

const objects = 1_000;
const rounds = 5;

/** Measures a first apply with the state in git and in a file, alternately. Compare only ratios within one run. */
export async function measureFirstApply(): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-bench-first-"));
  const server = await startGitServer(root);
  const remotes: Readonly<Record<string, (name: string) => string | undefined>> = {
    file: () => undefined,
    "git, file://": (name) => `file://${path.join(root, name)}`,
    "git, HTTP": (name) => `${server.url}/${name}`,
  };
  const times: Record<string, number[]> = {};
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const [store, remoteOf] of Object.entries(remotes)) {
        const name = `${store.replace(/\W+/g, "-")}-${round}.git`;
        const bare = path.join(root, name);
        execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
        const ms = await apply(bare, remoteOf(name));
        // The first round only warms the file caches.
        if (round > 0) times[store] = [...(times[store] ?? []), ms];
      }
  } finally {
    await server.close();
    await rm(root, { recursive: true });
  }
  const file = times.file ?? [];
  const rows = Object.entries(times).map(([store, all]) => {
    const ratios = all.map((ms, at) => ms / (file[at] ?? Number.NaN));
    const seconds = (median(all) / 1_000).toFixed(2);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    return [store, seconds, median(ratios).toFixed(2), `${least} to ${most}`];
  });
  printTable(
    `A first apply of ${objects.toLocaleString("en")} contexts, medians of ${rounds} alternating runs`,
    ["state in", "seconds", "times a file", "in each round"],
    rows,
  );
}

async function apply(bare: string, remote: string | undefined): Promise<number> {
  const folder = await writeContexts([...createAccount(objects, 2_000).contexts]);
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...argv], {
      cwd: folder,
    });
  git("init", "--quiet", "--initial-branch=main");
  if (remote) {
    git("remote", "add", "origin", remote);
    const manifest = "include: [contexts/*.md]\nstate: git+refs://origin/avatarops/production\n";
    await writeFile(path.join(folder, "avatarops.yaml"), manifest);
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  // Pushes without HTTP, because the server runs in this process.
  if (remote) git("push", "--quiet", bare, "HEAD:main");
  try {
    return await withEmulator({ world: emptyDataset() }, async (_, environment) => {
      const argv = [program, "apply", "--auto-approve", "--quiet"];
      const { exit, stderr, wallMs } = await runNode(argv, { cwd: folder, environment });
      if (exit !== 0) throw new Error(`apply exited with ${exit}: ${stderr}`);
      return wallMs;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
