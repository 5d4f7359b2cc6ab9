import type { Emulator } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { startProject } from "../cli/hosting.js";
import { startAccount, startRun } from "../terraform/unit/driving.js";
import type { Outcome } from "./faults.js";
import type { Write } from "./writes.js";

/** Entry point for writes. Plans a write, runs a callback and applies the plan. */
export type EntryPoint = (
  write: Write,
  meanwhile: (emulator: Emulator) => void,
) => Promise<{ readonly outcome: Outcome; readonly emulator: Emulator }>;

/** The engine's two entry points. */
export const entryPoints: Readonly<Record<"command" | "provider", EntryPoint>> = {
  command: runCommand,
  provider: runProvider,
};

async function runCommand(...[write, meanwhile]: Parameters<EntryPoint>): ReturnType<EntryPoint> {
  // After the confirmation, the command plans again under the lock. The change happens after the second plan has read
  // the object.
  let reads = 0;
  let readsUntil = Number.POSITIVE_INFINITY;
  const project = await startProject({
    ...{ world: write.world(), environment: { OLD: "old", NEW: "new" } },
    emulator: {
      ...(write.profile ? { profile: write.profile } : {}),
      onRequest: ({ path }) => {
        if (!path.startsWith("/v1/sessions") && ++reads === readsUntil) meanwhile(emulator);
      },
    },
  });
  const { emulator } = project;
  if (write.given !== undefined) {
    await project.write("avatarops.yaml", write.given);
    await project.avatarops("apply", "--auto-approve");
  }
  const declare = (text: string) => project.write("avatarops.yaml", write.manifest(emulator.world, text));
  if (write.from !== undefined) {
    await declare(write.from);
    await project.avatarops("apply", "--auto-approve");
  }
  await declare(write.to);
  emulator.requests.length = 0;
  reads = 0;
  const typed = () => {
    if (write.request.startsWith("POST")) meanwhile(emulator);
    else readsUntil = 2 * reads;
    return "yes\n";
  };
  const { stdout, stderr } = await project.avataropsWith({ typed }, "apply", "--format", "json");
  const { results } = JSON.parse(stdout) as OutcomeDocument;
  const [result] = results;
  if (!result || results.length > 1) throw new Error(`Not one result: ${stdout}${stderr}`);
  return { outcome: classifyResult(result), emulator };
}

function classifyResult({ status, problem, notes }: OutcomeDocument["results"][number]): Outcome {
  const { code, message = "" } = problem ?? {};
  if (status === "applied")
    return notes.some((note) => note.includes("response was lost")) ? "written, found" : "written";
  if (status === "unknown")
    return /import \S+ [0-9a-f-]{36}/.test(message) ? "unknown, candidate named" : "unknown";
  switch (code) {
    case "not-as-sent":
      return `written, different ${/different (\w+)/.exec(message)?.[1]}`;
    case "moved":
      return "stale";
    case "vanished":
    case "not-found":
      return "gone";
    case "name-taken":
      // The request path may also contain an id, so an id alone does not identify the holder.
      return /another context named/.test(message) && id.test(message) ? "refused, holder named" : "refused";
    default:
      throw new Error(`No outcome of the table: ${status} ${code} ${message}`);
  }
}

async function runProvider(...[write, meanwhile]: Parameters<EntryPoint>): ReturnType<EntryPoint> {
  const settings: { readonly profile?: "liveavatar" } = write.profile ? { profile: write.profile } : {};
  const emulator = await startAccount({ world: write.world(), ...settings });
  const config = (text: string) => write.config(emulator.world, text);
  const before =
    write.from === undefined
      ? undefined
      : await (await startRun(emulator, settings)).apply(write.resource, config(write.from));
  emulator.requests.length = 0;
  const kept = before?.kept;
  const declared = config(write.to);
  await (await startRun(emulator, settings)).plan(write.resource, declared, kept);
  meanwhile(emulator);
  // Terraform starts a separate process, which plans again before applying.
  const run = await startRun(emulator, settings);
  const { diagnostics } = await run.apply(write.resource, declared, kept);
  const [error, ...more] = diagnostics.filter(({ severity }) => severity === "error");
  if (more.length > 0) throw new Error(`Not one error: ${JSON.stringify(diagnostics)}`);
  if (!error) {
    const isFound = run.logged.some((line) => line.includes("response to a write was lost"));
    return { outcome: isFound ? "written, found" : "written", emulator };
  }
  return { outcome: classifyMessage(error.summary, error.detail ?? ""), emulator };
}

function classifyMessage(summary: string, detail: string): Outcome {
  const different = /different (\w+)/.exec(summary);
  if (different) return `written, different ${different[1]}`;
  if (/outcome unknown/.test(summary))
    return /import \{/.test(detail) ? "unknown, candidate named" : "unknown";
  if (/was edited elsewhere/.test(summary)) return "stale";
  if (/no longer exists|does not exist/.test(summary)) return "gone";
  if (/already has/.test(summary) && id.test(detail)) return "refused, holder named";
  if (/rejected/.test(summary)) return "refused";
  throw new Error(`No outcome of the table: ${summary}: ${detail}`);
}

const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
