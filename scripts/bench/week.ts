import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Emulator, emptyDataset } from "../../src/emulator/index.js";
import { median, printTable, program, runNode } from "./child.js";
import { startGitServer } from "./git-server.js";
import { createAccount, withEmulator, writeContexts } from "./project.js";

/*
 * Measures each step of a team's week, with the state in a file and in git over file:// and HTTP (git http-backend),
 * all on this machine. Compare only columns of one run, because times depend on the machine and its load.
 */

const objects = 100;
const rounds = 3;

interface Step {
  readonly name: string;
  readonly argv: readonly string[];
  /** Runs before the step. */
  prepare?(project: Project): Promise<void>;
}

interface Project {
  readonly folder: string;
  readonly emulator: Emulator;
}

const steps: readonly Step[] = [
  { name: "apply, creating all", argv: ["apply", "--auto-approve"] },
  { name: "plan, nothing to do", argv: ["plan"] },
  { name: "plan, a prompt changed", argv: ["plan"], prepare: changePrompt },
  { name: "review, the same", argv: ["review", "--dry-run"] },
  { name: "apply, the same", argv: ["apply", "--auto-approve"] },
  { name: "drift, a prompt edited", argv: ["drift"], prepare: editInDashboard },
  {
    name: "rollback, to the first apply",
    argv: ["rollback", "--to", "1", "--auto-approve", "--overwrite-drift"],
  },
];

interface Cost {
  readonly requests: number;
  readonly ms: number;
}

/** Counts the requests and measures the time of each step with each store. */
export async function measureWeek(): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-bench-week-"));
  const server = await startGitServer(root);
  try {
    const stores: Record<string, (repository: string) => string | undefined> = {
      file: () => undefined,
      "git, file://": (repository) => `file://${path.join(root, repository)}`,
      "git, HTTP": (repository) => `${server.url}/${repository}`,
    };
    const costs: Record<string, Cost[][]> = {};
    for (let round = 0; round < rounds; round += 1)
      for (const [name, remoteOf] of Object.entries(stores)) {
        const repository = `${name.replace(/\W+/g, "-")}-${round}.git`;
        execFileSync("git", ["init", "--quiet", "--bare", path.join(root, repository)]);
        const measured = await walk(remoteOf(repository));
        costs[name] = [...(costs[name] ?? []), measured];
      }
    const seconds = (name: string, at: number) =>
      median((costs[name] ?? []).map((measured) => measured[at]?.ms ?? Number.NaN)) / 1_000;
    printTable(
      `Requests to the service and seconds of each step of a week, over ${objects} contexts: the state in a file and in git (median of ${rounds})`,
      ["step", "requests", "file, s", "git file://, s", "git HTTP, s", "HTTP to file"],
      steps.map(({ name }, at) => {
        const [file, local, http] = Object.keys(stores).map((store) => seconds(store, at)) as [
          number,
          number,
          number,
        ];
        const requests = new Set(Object.values(costs).flatMap((all) => all.map((one) => one[at]?.requests)));
        return [
          name,
          [...requests].join(" or "),
          ...[file, local, http].map((one) => one.toFixed(2)),
          `${(http / file).toFixed(1)} times`,
        ];
      }),
    );
  } finally {
    await server.close();
    await rm(root, { recursive: true });
  }
}

/** Runs all steps once, in a new project and account. */
async function walk(remote: string | undefined): Promise<Cost[]> {
  const { contexts } = createAccount(objects, 2_000);
  const folder = await writeContexts([...contexts]);
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...argv], {
      cwd: folder,
    });
  git("init", "--quiet", "--initial-branch=main");
  if (remote) {
    git("remote", "add", "origin", remote);
    await writeFile(
      path.join(folder, "avatarops.yaml"),
      "include: [contexts/*.md]\nstate: git+refs://origin/avatarops/production\n",
    );
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  const costs: Cost[] = [];
  try {
    return await withEmulator({ world: emptyDataset() }, async (emulator, environment) => {
      for (const { name, argv, prepare } of steps) {
        await prepare?.({ folder, emulator });
        emulator.requests.length = 0;
        const ran = await runNode([program, ...argv], { cwd: folder, environment });
        if (![0, 2].includes(ran.exit)) throw new Error(`${name} exited with ${ran.exit}: ${ran.stderr}`);
        costs.push({ requests: emulator.requests.length, ms: ran.wallMs });
      }
      return costs;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function changePrompt({ folder }: Project): Promise<void> {
  const file = path.join(folder, "contexts/c00000.md");
  await writeFile(file, (await readFile(file, "utf8")).replace("briefly", "in one sentence"));
}

async function editInDashboard({ emulator }: Project): Promise<void> {
  const [, second] = emulator.world.contexts;
  if (second) emulator.editContext(second.id, { prompt: "Edited in the dashboard." });
}
