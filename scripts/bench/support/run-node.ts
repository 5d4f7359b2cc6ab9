import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const reporter = new URL("./report-usage.mjs", import.meta.url).href;

export interface RunResult {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly wallMs: number;
  /** Peak resident memory. Undefined unless requested. */
  readonly peakMb: number | undefined;
  /** CPU time of all threads. Undefined unless memory is requested. */
  readonly cpuMs: number | undefined;
  /** Peak heap size after a garbage collection. Undefined unless requested. */
  readonly heldMb: number | undefined;
}

/** Runs the built command as {@link runNode} does. Fails unless it exits with 0. */
export async function runCommand(
  args: readonly string[],
  options: Parameters<typeof runNode>[1],
): Promise<RunResult> {
  return assertSuccess(args.join(" "), await runNode([program, ...args], options));
}

export function assertSuccess(what: string, ran: RunResult): RunResult {
  if (ran.exit !== 0) throw new Error(`${what} exited with ${ran.exit}: ${ran.stderr.slice(0, 2_000)}`);
  return ran;
}

/**
 * Runs `node` as a separate process. With `withHeld`, the process collects garbage continuously, so its time and peak
 * memory are meaningless. With `stdoutFile`, the output goes to that file and `stdout` is empty.
 */
export async function runNode(
  args: readonly string[],
  options: {
    cwd?: string;
    environment?: Record<string, string>;
    withMemory?: boolean;
    withHeld?: boolean;
    stdoutFile?: string;
  } = {},
): Promise<RunResult> {
  const flags = [
    ...(options.withMemory || options.withHeld ? ["--import", reporter] : []),
    ...(options.withHeld ? ["--expose-gc"] : []),
  ];
  await using file = options.stdoutFile === undefined ? undefined : await open(options.stdoutFile, "w");
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, ...args], {
    ...(options.cwd ? { cwd: options.cwd } : {}),
    env: { ...process.env, NO_COLOR: "1", ...options.environment },
    stdio: ["ignore", file?.fd ?? "pipe", "pipe", "pipe"],
  });
  const [stdout, stderr, usage] = [1, 2, 3].map((fd) =>
    collect(child.stdio[fd] as NodeJS.ReadableStream | null),
  );
  const [exit] = (await once(child, "close")) as [number | null];
  const text = usage?.text();
  const report = text ? (JSON.parse(text) as { maxRSS: number; cpuMs: number; held?: number }) : undefined;
  return {
    exit: exit ?? -1,
    stdout: stdout?.text() ?? "",
    stderr: stderr?.text() ?? "",
    wallMs: performance.now() - started,
    peakMb: report && report.maxRSS / 1024,
    cpuMs: report?.cpuMs,
    heldMb: report?.held === undefined ? undefined : report.held / 1024 ** 2,
  };
}

function collect(stream: NodeJS.ReadableStream | null): { text: () => string } {
  const chunks: string[] = [];
  stream?.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  return { text: () => chunks.join("") };
}
