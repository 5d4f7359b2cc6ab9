import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Project } from "../../cli/hosting.js";
import { failuresOf } from "../stand-ins/failures.js";
import { type StoredItem, startConnect } from "../stand-ins/onepassword.js";
import { canary, describeSource, type StartedSource, written } from "./compliance.js";

const reference = (name: string) => `op://Production/${name}/credential`;

describeSource("onepassword", async (): Promise<StartedSource> => {
  const connect = await startConnect();
  const items = new Map<string, StoredItem>();
  const put = (name: string, value: string) => {
    const fields = [{ id: "credential", label: "credential", value }];
    const item = items.get(name) ?? connect.put(name, fields, { version: 0 });
    items.set(name, Object.assign(item, { fields, version: item.version + 1 }));
  };
  const reads = () => connect.requests.filter((request) => /\/items\/\w{26}/.test(request)).length;
  return {
    environment: connect.environment,
    written: (name, timeoutSeconds) => written("onepassword", { reference: reference(name), timeoutSeconds }),
    put,
    failures: {
      ...failuresOf(connect),
      missing: (name) => connect.remove(name),
      empty: (name) => put(name, " \n"),
    },
    reads,
    versions: {
      asked: () => connect.requests.filter((request) => request.includes("filter=")).length - reads(),
      // Connect has no such right; whoever reads an item all the same fails.
      refuseValues: () => {
        connect.showsItems = false;
      },
      allowValues: () => {
        connect.showsItems = true;
      },
    },
    stop: () => connect.close(),
  };
});

describeSource(
  "onepassword",
  async (): Promise<StartedSource> => {
    const folder = await mkdtemp(path.join(tmpdir(), "avatarops-op-"));
    // Runs in the project folder, as any program of a source.
    await writeFile(path.join(folder, "op"), `#!/bin/sh\nexec "${process.execPath}" op.secret\n`);
    await chmod(path.join(folder, "op"), 0o755);
    const script = (project: Project, code: string) => project.write("op.secret", code);
    const print = (value: string) => `process.stdout.write(${JSON.stringify(value)});`;
    const prints = (code: string) => (_: string, project: Project) => script(project, code);
    return {
      environment: { PATH: `${folder}:${process.env.PATH}` },
      written: (name, timeoutSeconds) =>
        written("onepassword", { reference: reference(name), timeoutSeconds }),
      put: (_, value, project) => script(project, print(value)),
      failures: {
        forbidden: prints(`${print(canary)} console.error(${JSON.stringify(canary)}); process.exitCode = 1;`),
        slow: prints(`${print(canary)} setTimeout(() => {}, 60_000);`),
        huge: prints(`${print(canary)} process.stdout.write("x".repeat(1e7)); setTimeout(() => {}, 60_000);`),
        empty: prints("console.log();"),
      },
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
  { codes: { forbidden: "failed" } },
);
