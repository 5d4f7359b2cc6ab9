import { exitCode } from "./exit-code.js";

/**
 * Guards against TypeScript definitions, which run in our process. They must not fake success or interrupt an apply.
 *
 * - If a definition ends the process, or awaits a promise that never settles, the early exit is reported as a failure.
 * - If a promise that was not awaited rejects, the failure is reported. No plan is shown or applied afterward (see
 *   `takeBackgroundFailure`), but an apply that has begun to write finishes. The command exits as failed.
 * - If timers or handles stay open, the command still exits when its work is done.
 */
export function guardProcess(nodeProcess: NodeJS.Process) {
  let isDone = false;
  let hasFailed = false;
  let isTaken = false;
  // The function is bound now, because `reserveStdout` later redirects `write` to stderr.
  const flush = nodeProcess.stdout.write.bind(nodeProcess.stdout);
  const writeError = (text: string) => void nodeProcess.stderr.write(`error[${text}\n`);

  nodeProcess.on("exit", () => {
    if (isDone) return;
    nodeProcess.exitCode = exitCode.failed;
    writeError(
      "ended-early] The command ended before its work was done. A definition in TypeScript ended the process, or awaits something that never settles.",
    );
  });
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    nodeProcess.on(event, (error: unknown) => {
      hasFailed = true;
      isTaken = false;
      const { stack } = error instanceof Error ? error : { stack: String(error) };
      writeError(
        `left-running] An unawaited promise or callback in a definition failed. \`await\` it where it starts.\n${stack}`,
      );
    });
  }

  return {
    takeBackgroundFailure(): boolean {
      const isNew = hasFailed && !isTaken;
      isTaken = hasFailed;
      return isNew;
    },
    end(code: number): void {
      // By the next turn, unhandled rejections have surfaced and pending writes are sent.
      setImmediate(() => {
        isDone = true;
        nodeProcess.exitCode = hasFailed ? code || exitCode.failed : code;
        flush("", () => nodeProcess.stderr.write("", () => nodeProcess.exit()));
      });
    },
  };
}
