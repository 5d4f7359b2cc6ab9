import { exitCode } from "./exit-code.js";

/**
 * Definitions in TypeScript are code in our process, and may do to it what code does. None of that passes for success,
 * and none of it ends an apply half-way.
 *
 * - They end the process, or wait for what never comes: then the command ends too soon, which is a failure and is told.
 * - What they left running fails later: that is told, the command goes on, and ends as a failure.
 * - They leave something running: the command ends all the same when its work is done.
 */
export function guardProcess(ours: NodeJS.Process): (code: number) => void {
  let isDone = false;
  let hasFailed = false;
  const tell = (text: string) => void ours.stderr.write(`error[${text}\n`);

  ours.on("exit", () => {
    if (isDone) return;
    ours.exitCode = exitCode.failed;
    tell(
      "ended-early] The command ended before its work was done: a definition in TypeScript ended the process, or awaits something that never comes.",
    );
  });
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    ours.on(event, (error: unknown) => {
      hasFailed = true;
      const { stack } = error instanceof Error ? error : { stack: String(error) };
      tell(`left-running] Something that was left running failed; \`await\` it where it is begun.\n${stack}`);
    });
  }

  return (code) => {
    // A turn later: what nobody awaits is known to have failed by then, and what is being written has gone out.
    setImmediate(() => {
      isDone = true;
      ours.exitCode = hasFailed ? code || exitCode.failed : code;
      ours.stdout.write("", () => ours.stderr.write("", () => ours.exit()));
    });
  };
}
