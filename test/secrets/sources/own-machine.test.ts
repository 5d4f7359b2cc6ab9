// @module-tag night
import path from "node:path";
import { canary, describeSource, type StartedSource, written } from "./compliance.js";

/** The sources of the machine itself: environment, files, commands. */

describeSource(
  "env",
  (): StartedSource => {
    const environment: Record<string, string> = {};
    return {
      environment,
      written: () => ({ yaml: "!env THE_VALUE", typescript: 'env("THE_VALUE")' }),
      put: (_, value) => {
        environment.THE_VALUE = value;
      },
      failures: {
        empty: () => {
          environment.THE_VALUE = " ";
        },
        missing: () => {
          delete environment.THE_VALUE;
        },
      },
    };
  },
  { codes: { missing: "not-set" } },
);

describeSource("file", (): StartedSource => {
  const write = (project: { write(file: string, text: string): Promise<void> }, text: string) =>
    project.write("the-value.secret", text);
  return {
    written: () => ({ yaml: "!file the-value.secret", typescript: 'file("the-value.secret")' }),
    put: (_, value, project) => write(project, `${value}\n`),
    failures: {
      empty: (_, project) => write(project, " \n"),
      huge: (_, project) => write(project, canary.repeat(250_000)),
    },
  };
});

describeSource(
  "exec",
  (): StartedSource => {
    const script = (project: { write(file: string, text: string): Promise<void> }, code: string) =>
      project.write("vault.secret", code);
    const print = (value: string) => `process.stdout.write(${JSON.stringify(value)} + "\\n");`;
    const command = [process.execPath, "vault.secret"];
    return {
      environment: { PATH: process.env.PATH ?? path.delimiter },
      written: (_, timeoutSeconds) => ({
        yaml: written("exec", { command, timeoutSeconds }).yaml,
        typescript: `exec(${JSON.stringify(command)}${timeoutSeconds === undefined ? "" : `, { timeoutSeconds: ${timeoutSeconds} }`})`,
      }),
      put: (_, text, project) => script(project, print(text)),
      failures: {
        forbidden: (_, project) =>
          script(project, `${print(canary)} console.error(${JSON.stringify(canary)}); process.exit(1);`),
        slow: (_, project) => script(project, `${print(canary)} setTimeout(() => {}, 60_000);`),
        empty: (_, project) => script(project, "console.log();"),
        huge: (_, project) =>
          script(
            project,
            `${print(canary)} process.stdout.write("x".repeat(1e7)); setTimeout(() => {}, 60_000);`,
          ),
      },
    };
  },
  { codes: { forbidden: "failed" } },
);
