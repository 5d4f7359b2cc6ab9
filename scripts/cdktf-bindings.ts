/**
 * Writes the CDK Terrain bindings from the provider's schema, without terraform or network, and compares the
 * derived CDKTF bindings with the output of CDKTF's generator. With `--check`, writes nothing and fails if a
 * file is out of date. (`npm run generate -- --check` checks the constructs.)
 */
import { toSchemaJson } from "@avatarops/terraform-plugin";
import { globSync } from "tinyglobby";
import { version } from "../src/base/version/index.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { compareForCdktf, generateBindings } from "./cdktf/bindings.js";
import { keepFile } from "./generate/keep-files.js";
import { readOptions } from "./options.js";

const { check } = readOptions("npm run cdktf:bindings -- [--check]", {
  options: { check: { type: "boolean" } },
}).values;

const folder = "src/entrypoints/cdktf/generated/bindings";
const provider = createProvider({ version, environment: {} });
const schema = toSchemaJson(provider, "registry.terraform.io/avatarops/avatarops");

const bindings = await generateBindings("cdktn", schema);
for (const name of new Set([...bindings.keys(), ...globSync("**", { cwd: folder })]))
  await keepFile(`${folder}/${name}`, bindings.get(name), "npm run cdktf:bindings");
const other = await compareForCdktf(bindings, schema);
if (other.length > 0) {
  console.error(
    `CDKTF's generator and scripts/cdktf/libraries.ts write different files:\n  ${other.join("\n  ")}`,
  );
  process.exitCode = 1;
}
// Generates the constructs on top of the bindings.
if (!check) await import("./generate.js");
