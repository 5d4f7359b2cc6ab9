import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { tools } from "../../scripts/tools.js";
import { newFolder } from "../cli/hosting.js";
import { runSessionsServer, startProjectWithClock } from "../cli/serving.js";
import { findFreePort } from "../stores/starting.js";
import { runPromtool } from "./tools.js";

/* Checks the dashboard, alerts and documentation against the metrics of `sessions serve`. */

interface Panel {
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync("examples/grafana/sessions.json", "utf8")) as {
  readonly panels: readonly Panel[];
};
const targets = dashboard.panels.flatMap((panel) => panel.targets);
/** Expressions with the variables replaced as in Grafana. */
const expressions = targets.map(({ expr }) => expr.replaceAll("$instance", ".*"));
const alerts = readFileSync("examples/deploy/prometheus/sessions-alerts.yaml", "utf8");

/** Scrapes metrics for an account with one example of each metric. */
async function scrape(): Promise<string> {
  const project = await startProjectWithClock();
  await project.write(
    "avatarops.yaml",
    `service: { credit_price: { amount: 0.12, currency: EUR } }\n${await project.read("avatarops.yaml")}`,
  );
  let text = "";
  project.emulator.addFault({ times: 6, do: { kind: "status", status: 503 } });
  await runSessionsServer(project, [], async ({ next, get }) => {
    await next();
    project.session(90);
    project.session(60, { mode: "LITE", is_sandbox: true });
    await next(120_000);
    ({ text } = await get("/metrics"));
  });
  return text;
}

describe("Grafana session dashboard and alerts", () => {
  test("use only served metrics and labels", async () => {
    const text = await scrape();
    const names = new Set(Array.from(text.matchAll(/^(\w+)/gm), ([, name]) => name));
    const labels = new Set(Array.from(text.matchAll(/[{,](\w+)="/g), ([, label]) => label));
    const used = [...expressions, alerts].join("\n");
    const named = used.match(/avatarops_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    const usedLabels = [
      ...Array.from(used.matchAll(/[{,](\w+)=~?"/g), ([, label]) => label),
      ...Array.from(used.matchAll(/by \(([\w, ]+)\)/g), ([, list = ""]) => list.split(", ")).flat(),
      ...targets.flatMap(({ legendFormat }) =>
        Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label),
      ),
    ];
    // Prometheus adds the `instance` label.
    expect(usedLabels.filter((label = "") => label !== "instance" && !labels.has(label))).toEqual([]);
  });
});

describe("docs/sessions.md", () => {
  test("lists all metrics with their types", async () => {
    const text = await scrape();
    const defined = Array.from(
      text.matchAll(/^# TYPE (\w+) (\w+)$/gm),
      ([, name, type]) => `${name} ${type}`,
    );
    const page = readFileSync("docs/sessions.md", "utf8");
    const rows = Array.from(
      page.matchAll(/^\| `(avatarops_session\w+)[^|]*\| (\w+) \|/gm),
      ([, name, type]) => `${name} ${type}`,
    );
    expect(rows.toSorted()).toEqual(defined.toSorted());
  });
});

describe("promtool", { tags: "prometheus" }, () => {
  test("accepts the session metrics", async () => {
    const typed = await scrape();
    expect(await runPromtool(["check", "metrics"], { cwd: ".", typed })).toEqual({
      exit: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("accepts every dashboard expression", async () => {
    const folder = await newFolder();
    const rules = expressions.map((expr, at) => ({ record: `panel:${at}`, expr }));
    // JSON is valid YAML.
    await writeFile(
      path.join(folder, "rules.yaml"),
      JSON.stringify({ groups: [{ name: "dashboard", rules }] }),
    );
    const ended = await runPromtool(["check", "rules", "rules.yaml"], { cwd: folder });
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ exit: 0 });
    expect(ended.stdout).toContain(`${expressions.length} rules found`);
  });
});

test("serves session metrics that Prometheus can scrape, and every dashboard query succeeds", {
  tags: ["night", "prometheus"],
}, async () => {
  const project = await startProjectWithClock();
  const folder = await newFolder();
  await runSessionsServer(project, [], async ({ url, next }) => {
    project.session(36_000);
    await next(60_000);
    const { host } = new URL(url);
    const config = {
      global: { scrape_interval: "1s" },
      scrape_configs: [{ job_name: "sessions", static_configs: [{ targets: [host] }] }],
    };
    await writeFile(path.join(folder, "prometheus.yaml"), JSON.stringify(config));
    const port = await findFreePort();
    const server = spawn(
      path.join(tools.prometheus.path, "prometheus"),
      ["--config.file=prometheus.yaml", "--storage.tsdb.path=data", `--web.listen-address=127.0.0.1:${port}`],
      { cwd: folder, stdio: "ignore" },
    );
    onTestFinished(() => void server.kill("SIGKILL"));
    const ask = async (query: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`);
      return (await answer.json()) as { status: string; data: { result: { value: [number, string] }[] } };
    };
    const active = "sum(avatarops_sessions_active)";
    let found: string | undefined;
    while (found === undefined && server.exitCode === null) {
      await sleep(200);
      found = (await ask(active).catch(() => undefined))?.data.result[0]?.value[1];
    }
    expect(found).toBe("1");
    for (const expression of expressions) expect(await ask(expression)).toMatchObject({ status: "success" });
  });
});
