/**
 * Builds the newest OpenTofu and Terraform, pinned in `tools/tofu` and `tools/terraform-core`. This takes minutes, so
 * only some tests use them. When run directly, it builds one and prints its path: `TERRAFORM=$(npx tsx
 * scripts/terraform/built.ts tofu) npx vitest run test/terraform`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { defineGoTool } from "../go-tools.js";

/** Marks the build as a release. Otherwise, both programs report a development version. */
const released = (module: string) => `-ldflags=-X ${module}/version.dev=no`;
const module = "github.com/hashicorp/terraform";

export const builtCores = {
  tofu: defineGoTool("tofu", "OpenTofu 1.12, 8 minutes on one processor", [
    released("github.com/opentofu/opentofu"),
  ]),
  terraform: defineGoTool(
    "terraform-core",
    "Terraform 1.16, 8 minutes on one processor",
    [released(module)],
    removeBackends,
  ),
};

/** Removes some state backends of Terraform, because only its repository contains their modules. */
function removeBackends(folder: string, copy: string): void {
  const download = execFileSync("go", ["mod", "download", "-json", module], {
    cwd: folder,
    encoding: "utf8",
  });
  execFileSync("cp", ["-r", "--no-preserve=mode", `${JSON.parse(download).Dir}/.`, copy]);
  const removeLines = (file: string, gone: RegExp) => {
    const text = readFileSync(path.join(copy, file), "utf8");
    writeFileSync(path.join(copy, file), text.replace(gone, ""));
  };
  removeLines("go.mod", /^.*terraform\/internal\/(backend\/remote-state\/|legacy ).*\n/gm);
  const backends = /^.*\bbackend(Azure|Consul|Cos|GCS|Kubernetes|OCI|OSS|Pg|S3)\b.*\n/gm;
  removeLines("internal/backend/init/init.go", backends);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const core = builtCores[process.argv[2] === "terraform" ? "terraform" : "tofu"];
  core.build();
  console.log(core.program);
}
