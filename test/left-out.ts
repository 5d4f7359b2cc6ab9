import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cdktfTools, hasCommand } from "../scripts/cdktf/tools.js";
import { hasBrowser } from "../scripts/pictures/browser.js";
import { moto, postgres } from "../scripts/test-servers.js";
import { hasKubeconform, hasKubectl, hasPromtool, hasSystemd } from "./deploy/tools.js";
import { hasGitea } from "./real/gitea.js";
import { isLong } from "./real/long.js";
import { hasVersitygw } from "./stores/s3-servers.js";

/** Says at the very end of a run what was not tested, where it cannot be overlooked. */
export function teardown(): void {
  const hasTerraform = spawnSync("terraform", ["version"], { stdio: "ignore" }).status === 0;
  if (!hasTerraform)
    tell(
      "There is no terraform on PATH",
      "!hasTerraform",
      "install terraform 1.11 or later, and npm test again.",
    );
  if (!cdktfTools.has())
    tell(
      "The tools of CDKTF are not installed",
      "!cdktfTools.has()",
      "npm run cdktf:bindings -- --check (it installs 650 MB), and npm test again.",
    );
  if (!hasCommand())
    tell(
      "The command of CDKTF is not installed, or this Node is later than 22, on which it does not start",
      "!hasCommand()",
      "npm run cdktf:bindings -- --check (it installs 650 MB), and npm test again on Node 20 or 22.",
    );
  for (const [program, condition, isThere] of [
    ["kubectl", "!hasKubectl", hasKubectl],
    ["systemd-analyze", "!hasSystemd", hasSystemd],
    ["promtool", "!hasPromtool", hasPromtool],
  ] as const)
    if (!isThere)
      tell(`There is no ${program} on PATH`, condition, `install ${program}, and npm test again.`);
  if (!hasKubeconform())
    tell(
      "kubeconform was not asked for, or is not built",
      "!hasKubeconform()",
      "npm run test:real -- --node 24 test/real (the first time it builds what it needs).",
    );
  for (const [server, condition, isThere] of [
    ["Moto, an S3 server,", "!moto.has()", moto.has()],
    ["PostgreSQL", "!postgres.has()", postgres.has()],
  ] as const)
    if (!isThere) tell(`${server} is not installed`, condition, "npm run test:servers, and npm test again.");
  if (!hasVersitygw())
    tell(
      "No real servers were asked for, or versitygw is not built",
      "!hasVersitygw()",
      "npm run test:real -- --node 24 test/real (the first time it builds versitygw, 2 minutes).",
    );
  if (!isLong)
    tell(
      "Tests that take minutes were not asked for",
      "!isLong",
      "npm run test:real -- --node 24 test/real (the first time it builds what it needs).",
    );
  if (!hasBrowser() || process.env.AVATAROPS_TEST_REAL !== "1")
    tell(
      "No real browser was asked for, or there is no Chromium",
      "!hasBrowser()",
      "install Chromium (apt-get install chromium), and npm run test:real -- --node 24 test/real.",
    );
  if (!hasGitea())
    tell(
      "No real servers were asked for, or Gitea is not built",
      "!hasGitea()",
      "npm run test:real -- --node 24 test/real (the first time it builds Gitea, 7 minutes).",
    );
}

function tell(what: string, condition: string, remedy: string): void {
  const files = ["test", "packages/terraform-plugin/test"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => conditionsIn(readFileSync(file, "utf8")).some((one) => one.includes(condition)));
  const frame = "!".repeat(80);
  console.error(
    `\n${frame}\n${what}: ${files.length} files of tests were left out, wholly or in part.\nCI runs them, some only at night. To run them here: ${remedy}\n${frame}`,
  );
}

function conditionsIn(text: string): string[] {
  return Array.from(text.matchAll(/skipIf\((.*)\)\(/g), ([, condition = ""]) => condition);
}
