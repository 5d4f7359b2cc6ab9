import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmptyDataset, type Emulator, type FaultAction } from "../../src/emulator/index.js";
import { type Machine, startOn, waitUntil } from "../../test/real/machine.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { withEmulator } from "./support/project.js";

/** How the service handles the killed run's create request. */
interface Create {
  readonly name: string;
  readonly does: FaultAction;
  /** Time from the request's arrival until the run is killed. */
  readonly killedAfterMs?: number;
}

const delayCreate = (seconds: number): Create => ({
  name: `processed after ${seconds} s`,
  does: { kind: "delay", ms: seconds * 1_000 },
});
const creates: readonly Create[] = [
  { name: "processed at once", does: { kind: "hang", when: "after" }, killedAfterMs: 500 },
  ...[1, 10, 29].map(delayCreate),
  { name: "never processed", does: { kind: "hang" } },
  { ...delayCreate(120), name: "processed after 120 s, longer than the timeout" },
];

/** How the next run gets the lock. */
const ways = ["on the same machine", "after an unlock", "after a takeover by sync"] as const;

/**
 * Measures the wait from the first to the last list request, with the default request timeout (30 s). `sync`
 * also requests the list while it waits for the lock, so only its last cycle counts.
 */
export const recovery: Benchmark = {
  name: "recovery",
  measures: "wait of the run after a killed one",
  async run() {
    const cases = creates.flatMap((create) => ways.map((way) => ({ create, way })));
    // Starts a case every 1.5 s. The cases then run concurrently.
    const rows = await Promise.all(
      cases.map(async ({ create, way }, at) => {
        await sleep(at * 1_500);
        return [create.name, way, ...(await recover(create, way))];
      }),
    );
    printTable(
      "Wait of the next run for a killed run's create (timeout 30 s)",
      ["create", "next run", "waits, s", "continues, s after the create", "objects"],
      rows,
    );
  },
};

function recover({ does, killedAfterMs = 0 }: Create, way: (typeof ways)[number]): Promise<string[]> {
  return withEmulator(
    { world: createEmptyDataset(), behavior: { contextNames: "free" } },
    async (emulator, environment) => {
      const { root, repository, laptop, desk } = await openProject(environment);
      try {
        emulator.addFault({ match: { method: "POST" }, do: does });
        const following = ["sync", "--repo", repository, "--listen", "127.0.0.1:0", "--interval", "1s"];
        const isSync = way === "after a takeover by sync";
        const applying = ["apply", "--auto-approve"];
        const first = startOn(laptop, isSync ? following : applying);
        const isSent = () => emulator.requests.some(({ method }) => method === "POST");
        await waitUntil(() => isSent() || first.hasEnded(), 300_000);
        if (!isSent()) throw new Error(`No create was sent ${way}: ${first.output()}`);
        await sleep(killedAfterMs);
        first.child.kill("SIGKILL");
        await first.ended;
        const sentMs = emulator.requests.find(({ method }) => method === "POST")?.at ?? 0;
        let fromMs = Date.now();
        const machine = way === "on the same machine" ? laptop : desk;
        if (way === "after an unlock") await startOn(desk, ["state", "unlock"]).ended;
        const next = startOn(machine, isSync ? [...following, "--take-over-after", "1s"] : applying);
        if (isSync) {
          const isDone = () =>
            next.log().some(({ outcome = "" }) => ["applied", "unchanged"].includes(outcome));
          if (!(await waitUntil(isDone, 300_000)))
            throw new Error(`No cycle completed ${way}: ${next.output()}`);
          next.child.kill("SIGTERM");
        }
        const { exit } = await next.ended;
        if (exit !== 0) throw new Error(next.output());
        const cycle = next.log().findLast(({ outcome }) => outcome);
        if (cycle) fromMs = Date.parse(cycle.time) - (cycle.duration_ms ?? 0);
        const [firstMs = 0, lastMs = firstMs] = findListRequests(emulator, fromMs);
        // Waits until the service has processed a delayed create.
        if (does.kind === "delay") await sleep(does.ms);
        const seconds = (ms: number) => (ms / 1_000).toFixed(1);
        const { contexts } = emulator.world;
        return [seconds(lastMs - firstMs), seconds(lastMs - sentMs), String(contexts.length)];
      } finally {
        await rm(root, { recursive: true, maxRetries: 3 });
      }
    },
  );
}

/** Returns the times of the first and last list request between `fromMs` and the next create, if any. */
function findListRequests({ requests }: Emulator, fromMs: number): number[] {
  const later = requests.filter(({ at }) => at >= fromMs);
  const end = later.findIndex(({ method }) => method === "POST");
  const looks = later
    .slice(0, end === -1 ? undefined : end)
    .filter(({ method, path }) => method === "GET" && path === "/v1/contexts");
  return [looks[0], looks.at(-1)].flatMap((look) => look?.at ?? []);
}

/** Opens clones of a project on two machines. The state is in git. */
async function openProject(given: Record<string, string>) {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-bench-recovery-"));
  const repository = path.join(root, "avatars.git");
  const identity = ["GIT_AUTHOR", "GIT_COMMITTER"].flatMap((who) => [
    [`${who}_NAME`, "Bench"],
    [`${who}_EMAIL`, "bench@example.com"],
  ]);
  const environment = { ...given, HOME: root, TMPDIR: root, ...Object.fromEntries(identity) };
  const git = (cwd: string, ...argv: string[]) =>
    execFileSync("git", argv, { cwd, env: { ...process.env, ...environment }, stdio: "pipe" });
  git(root, "init", "--quiet", "--bare", "--initial-branch=main", repository);
  const clone = (name: string): Machine => {
    git(root, "clone", "--quiet", repository, name);
    return { name, folder: path.join(root, name), environment };
  };
  const laptop = clone("laptop");
  const manifest =
    "state: git+refs://origin/avatarops/production\ncontexts: { one: { name: One, prompt: Be kind. } }\n";
  await writeFile(path.join(laptop.folder, "avatarops.yaml"), manifest);
  git(laptop.folder, "add", ".");
  git(laptop.folder, "commit", "--quiet", "--message", "begin");
  git(laptop.folder, "push", "--quiet", "origin", "HEAD:main");
  return { root, repository, laptop, desk: clone("desk") };
}
