import { exitCode } from "./exit-code.js";

/**
 * Definitions in TypeScript run in our process and can do anything to it. None of that may look like success
 * or stop an apply half-way.
 *
 * - If they end the process, or wait for something that never comes, the command ends too early: reported as
 * a failure.
 * - If something they left running fails later, the failure is reported, the command continues and then exits
 * as failed.
 * - If they leave something running, the command still ends when its work is done.
 */
export function guardProcess(ours: NodeJS.Process): (code: number) => void {
  let isDone = false;
  let hasFailed = false;
  // Before others are kept from it.
  const flush = ours.stdout.write.bind(ours.stdout);
  const tell = (text: string) => void ours.stderr.write(`error[${text}\n`);

  ours.on("exit", () => {
    if (isDone) return;
    ours.exitCode = exitCode.failed;
    tell(
      "ended-early] The command ended before its work was done: a definition in TypeScript ended the process, or awaits something that never settles.",
    );
  });
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    ours.on(event, (error: unknown) => {
      hasFailed = true;
      const { stack } = error instanceof Error ? error : { stack: String(error) };
      tell(
        `left-running] A promise or callback that a definition did not await failed; \`await\` it where it starts.\n${stack}`,
      );
    });
  }

  return (code) => {
    // One turn later: unhandled rejections are known by then, and pending writes have gone out.
    setImmediate(() => {
      isDone = true;
      ours.exitCode = hasFailed ? code || exitCode.failed : code;
      flush("", () => ours.stderr.write("", () => ours.exit()));
    });
  };
}
