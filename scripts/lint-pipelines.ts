/**
 * Checks pipeline files with actionlint, the hosts' published schemas and ShellCheck, and the provider's
 * pages with the registry rules. Pipeline files are the Action, the GitLab component, the examples and our
 * workflows. Installs these tools first, which takes seconds.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toSchemaJson } from "@avatarops/terraform-plugin";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { version } from "../src/base/version/index.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { readOptions } from "./options.js";
import {
  listActionScripts,
  listGitlabScripts,
  listWorkflowScripts,
  parseDocuments,
  pipelineFiles,
  type Script,
} from "./pipelines/files.js";
import { tools } from "./tools.js";

readOptions("npm run lint:pipelines", {});
for (const tool of [tools.linters, tools.actionlint, tools.atlantis, tools.tfplugindocs]) tool.install();
const shellcheck = path.join(tools.linters.path, "bin/shellcheck");
/** Disables a check that mistakes `${…}` in quoted code of other languages for shell variables. */
const shellcheckOptions = "--exclude=SC2016";

// actionlint does not support `queue: max` yet.
const actionlintOptions = ["-ignore", 'unexpected key "queue"', "-shellcheck", shellcheck];
report(
  "actionlint",
  spawnSync(tools.actionlint.path, [...actionlintOptions, ...pipelineFiles["github-workflows"]], {
    stdio: "inherit",
    env: { ...process.env, SHELLCHECK_OPTS: shellcheckOptions },
  }),
);

report("Atlantis", spawnSync(tools.atlantis.path, ["examples/ci/atlantis"], { stdio: "inherit" }));

// Checks the provider's pages as public registries do. Passes the schema, because the tool would otherwise look for Go
// sources. It expects the provider name without the `terraform-provider-` prefix.
const temporary = mkdtempSync(path.join(tmpdir(), "avatarops-schema-"));
const schemaFile = path.join(temporary, "schema.json");
const provider = createProvider({ version, environment: {} });
writeFileSync(
  schemaFile,
  JSON.stringify(toSchemaJson(provider, "registry.terraform.io/hashicorp/avatarops")),
);
const validated = spawnSync(
  tools.tfplugindocs.path,
  ["validate", "--provider-name", "avatarops", "--providers-schema", schemaFile],
  { encoding: "utf8" },
);
rmSync(temporary, { recursive: true });
if (validated.status !== 0) console.error(validated.stderr.replace(/^.*\[DEBUG\].*\n/gm, ""));
report("tfplugindocs", validated);

const schemas = path.join(tools.linters.path, "check_jsonschema/builtin_schemas/vendor");
for (const [name, files] of Object.entries(pipelineFiles)) {
  const schema = JSON.parse(readFileSync(path.join(schemas, `${name}.json`), "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const isValid = ajv.compile(schema);
  for (const file of files)
    for (const document of parseDocuments(file)) {
      if (isValid(document)) continue;
      console.error(
        `${file} does not match ${name}.json: ${ajv.errorsText(isValid.errors, { dataVar: "" })}`,
      );
      process.exitCode = 1;
    }
}

const scripts: [string, Script[]][] = [
  ["bash", pipelineFiles["github-actions"].flatMap(listActionScripts)],
  // actionlint checks the scripts in workflow jobs, so only the shared install script remains.
  ["bash", pipelineFiles["github-workflows"].flatMap(listWorkflowScripts)],
  // The GitLab runner uses bash if the image contains it, otherwise sh.
  ["sh", pipelineFiles["gitlab-ci"].flatMap(listGitlabScripts)],
];
for (const [shell, list] of scripts)
  for (const { name, text } of list)
    report(
      name,
      spawnSync(shellcheck, [`--shell=${shell}`, shellcheckOptions, "-"], {
        // The runners stop a script at the first failing command.
        input: `set -e\n${text}`,
        stdio: ["pipe", "inherit", "inherit"],
      }),
    );

function report(what: string, { status, error }: { status: number | null; error?: Error | undefined }): void {
  if (status === 0) return;
  console.error(`${what} did not pass${error ? `: ${error.message}` : "."}`);
  process.exitCode = 1;
}
