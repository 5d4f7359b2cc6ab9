import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { openMetrics } from "../../src/entrypoints/sync/index.js";
import { runIn } from "../cli/hosting.js";
import { runPromtool } from "./tools.js";

/* Checks the examples against each other, the command and this repository's packages. */

const examples = "examples/deploy";
const read = (file: string) => readFileSync(path.join(examples, file), "utf8");

interface Deployment {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly livenessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

/**
 * Runs the command with these arguments and a missing repository. The arguments are valid if the command
 * reports only the missing repository.
 */
async function runArguments(args: readonly string[], folder: string) {
  const stops: ((signal: string) => void)[] = [];
  const missing = args.map((arg) => arg.replace(/https:\/\/git\.example\.com\S*/, path.join(folder, "none")));
  return runIn(folder, missing, {
    onStoppable: (stop) => stops.push(stop),
    onStdout: (line) => {
      if (line.includes('"msg":"cycle"')) for (const stop of stops) stop("SIGTERM");
    },
  });
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-deploy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("example Deployment", () => {
  const { template } = (parse(read("kubernetes/deployment.yaml")) as Deployment).spec;
  const [container] = template.spec.containers;

  test("calls the command with valid arguments and the container's port", async () => {
    const folder = await newFolder();
    const args = container.args.map((arg) =>
      arg.replace("0.0.0.0:8080", "127.0.0.1:0").replace("/work", `${folder}/work`),
    );
    const { exit, stdout } = await runArguments(args, folder);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('"code":"unreachable"')]);
    expect(container.args).toContain(`--listen=0.0.0.0:${container.ports[0]?.containerPort}`);
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain("/work");
  });

  test("probes health and readiness at the served paths", () => {
    const { readinessProbe, livenessProbe, ports } = container;
    expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: ports[0]?.name });
    expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: ports[0]?.name });
  });

  test("builds with the other manifests in kustomize", { tags: "kubectl" }, () => {
    const { stdout, status } = spawnSync("kubectl", ["kustomize", `${examples}/kubernetes`], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    const kinds = parseAllDocuments(stdout).map((document) => document.get("kind"));
    expect(kinds.sort()).toEqual(["ConfigMap", "Deployment", "Service", "ServiceAccount"]);
    // A selector that matches no pod is still valid, so the test counts the labels and selectors of the
    // Service, Deployment and pod.
    expect(stdout.match(/app\.kubernetes\.io\/name: avatarops-sync/g)).toHaveLength(5);
  });
});

describe("example Dockerfile", () => {
  const dockerfile = read("Dockerfile");
  const { devDependencies, version } = JSON.parse(readFileSync("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
    version: string;
  };

  test("names the tested prom-client version, and kustomization.yaml names the current image tag", () => {
    expect(dockerfile).toContain(`prom-client@${devDependencies["prom-client"]}`);
    expect(read("kubernetes/kustomization.yaml")).toContain(`newTag: "${version}"`);
  });

  test("has a valid JSON entrypoint and a default command that succeeds", async () => {
    const [, entry = ""] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
    const [, command = ""] = /^CMD (.*)$/m.exec(dockerfile) ?? [];
    expect((JSON.parse(entry) as string[]).at(-1)).toBe("avatarops");
    expect(await runIn(await newFolder(), JSON.parse(command) as string[])).toMatchObject({ exit: 0 });
  });
});

describe("example systemd unit", () => {
  const unit = read("systemd/avatarops-sync.service");

  test("calls the command with valid arguments", async () => {
    const folder = await newFolder();
    const [, line = ""] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    const args = line
      .replace("${AVATAROPS_REPO}", "https://git.example.com/team/avatars.git")
      .replace("${CACHE_DIRECTORY}", folder)
      .split(" ");
    const { exit, stdout } = await runArguments([...args, "--listen", "127.0.0.1:0"], folder);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('"code":"unreachable"')]);
  });

  test("passes systemd-analyze verify", { tags: "systemd" }, async () => {
    const folder = await newFolder();
    // Replaces the unit's program, which is not installed on this machine.
    const file = path.join(folder, "avatarops-sync.service");
    await writeFile(file, unit.replace("/usr/local/bin/avatarops", process.execPath));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("sync alerts", () => {
  test("use only existing metrics and labels", async () => {
    const metrics = await (await openMetrics()).text();
    const alerts = await readFile(`${examples}/prometheus/alerts.yaml`, "utf8");
    const named = alerts.match(/avatarops_sync_\w+(\{\w+="\w+"\})?/g) ?? [];
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((series) => !metrics.includes(series))).toEqual([]);
  });
});

describe("docs/sync.md", () => {
  test("lists all metrics with their types", async () => {
    const metrics = await (await openMetrics()).text();
    const defined = Array.from(
      metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm),
      ([, name, type]) => `${name} ${type}`,
    );
    const page = readFileSync("docs/sync.md", "utf8");
    const rows = Array.from(
      page.matchAll(/^\| `(avatarops_sync_\w+)[^|]*\| (\w+) \|/gm),
      ([, name, type]) => `${name} ${type}`,
    );
    expect(rows.sort()).toEqual(defined.sort());
  });
});

describe("promtool", { tags: "prometheus" }, () => {
  test.each(["alerts", "sessions-alerts"])("accepts the rules in %s and their tests", async (name) => {
    for (const command of [
      ["check", "rules", `${name}.yaml`],
      ["test", "rules", `${name}.test.yaml`],
    ]) {
      const ended = await runPromtool(command, { cwd: `${examples}/prometheus` });
      expect(ended.exit, ended.stdout + ended.stderr).toBe(0);
    }
  });
});
