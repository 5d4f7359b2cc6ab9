// @module-tag kubeconform
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { downloadGoModule } from "../../scripts/tools/go.js";
import { tools } from "../../scripts/tools.js";
import { listRepositoryFiles } from "../docs/files.js";

/*
 * Builds the schemas from kubeconform's own source instead of downloading them. The source is the OpenAPI description
 * in the Go module of each Kubernetes release.
 */
const release = "v1.34.2";
const sum = "h1:WQdDvYJazkmkwSncgNwGvVtaCt4TYXIU3wSMRgvp3MI=";

interface Definition {
  additionalProperties?: unknown;
  readonly properties?: unknown;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
  [key: string]: unknown;
}

async function loadSchemas(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-schemas-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sources = downloadGoModule({ module: `k8s.io/kubernetes@${release}`, sum });
  const text = await readFile(path.join(sources, "api/openapi-spec/swagger.json"), "utf8");
  const { definitions } = JSON.parse(text) as { definitions: Record<string, Definition> };
  for (const definition of Object.values(definitions)) {
    // Rejects unknown fields, like `kubeconform -strict`.
    if (definition.properties) definition.additionalProperties ??= false;
  }
  // Two Kubernetes formats that are missing from the description.
  const either = { oneOf: [{ type: "string" }, { type: "integer" }] };
  definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = either;
  definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = {
    oneOf: [{ type: "string" }, { type: "number" }],
  };
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "definitions.json"), JSON.stringify({ definitions }));
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition["x-kubernetes-group-version-kind"] ?? []) {
      const [prefix] = group.split(".");
      const file = `${kind}${prefix ? `-${prefix}` : ""}-${version}.json`.toLowerCase();
      await writeFile(
        path.join(folder, file),
        JSON.stringify({ $ref: `definitions.json#/definitions/${name}` }),
      );
    }
  }
  return folder;
}

describe("kubeconform", () => {
  const manifests = listRepositoryFiles("examples/deploy/kubernetes/*.yaml").filter(
    // Excludes files for kustomize and the Prometheus Operator, which are not built-in kinds.
    (file) => !/kustomization|servicemonitor/.test(file),
  );

  test("accepts every manifest and detects an added mistake in each", async () => {
    const folder = await loadSchemas();
    const check = (files: readonly string[]) =>
      spawnSync(
        tools.kubeconform.path,
        [
          ...["-strict", "-summary", "-output", "json"],
          ...["-schema-location", `${folder}/{{ .ResourceKind }}{{ .KindSuffix }}.json`],
          ...files,
        ],
        { encoding: "utf8" },
      );
    expect(manifests.length).toBeGreaterThan(3);
    const { stdout, status } = check(manifests);
    expect([status, JSON.parse(stdout).summary]).toEqual([
      0,
      { valid: manifests.length, invalid: 0, errors: 0, skipped: 0 },
    ]);
    for (const file of manifests) {
      const wrong = path.join(folder, "wrong.yaml");
      await writeFile(wrong, `${await readFile(file, "utf8")}mistake: 1\n`);
      expect(check([wrong]).status).toBe(1);
    }
    const deployment = await readFile("examples/deploy/kubernetes/deployment.yaml", "utf8");
    const wrong = path.join(folder, "wrong.yaml");
    await writeFile(wrong, deployment.replace("allowPrivilegeEscalation", "allowPrivilegeEscalations"));
    expect(check([wrong]).stdout).toContain("allowPrivilegeEscalations");
  });
});
