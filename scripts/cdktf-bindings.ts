/**
 * Writes the bindings of CDK Terrain from the provider's own schema: no terraform, no network. With `--check` it writes
 * nothing and fails if one of them is out of date; `npm run generate -- --check` checks the constructs. What the build makes
 * of them for CDKTF is compared with what CDKTF's own generator writes.
 */

import { toSchemaJson } from "@avatarops/terraform-plugin";
import { version } from "../src/base/version/index.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { compareForCdktf, generateBindings } from "./cdktf/bindings.js";
import { keepFolder } from "./cdktf/keep-folder.js";

const folder = "src/entrypoints/cdktf/generated/bindings";
const isCheck = process.argv.includes("--check");
const provider = createProvider({ version, environment: {} });
const schema = toSchemaJson(provider, "registry.terraform.io/avatarops/avatarops");

const bindings = await generateBindings("cdktn", schema);
const stale = await keepFolder(folder, bindings, isCheck);
const files = stale.map((file) => `\n  ${folder}/${file}`).join("");
if (stale.length > 0 && !isCheck) console.log(`Wrote${files}`);
if (stale.length > 0 && isCheck) {
  console.error(`Out of date; run \`npm run cdktf:bindings\` and commit the result:${files}`);
  process.exitCode = 1;
}
const other = await compareForCdktf(bindings, schema);
if (other.length > 0) {
  console.error(
    `The generator of CDKTF writes otherwise than scripts/cdktf/libraries.ts:\n  ${other.join("\n  ")}`,
  );
  process.exitCode = 1;
}
// The constructs over them.
if (!isCheck) await import("./generate.js");
