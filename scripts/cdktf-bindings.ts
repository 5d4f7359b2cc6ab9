/**
 * Writes the CDK Terrain bindings from the provider's schema, without terraform or network. With `--check`, it writes
 * nothing and fails if a file is out of date. (`npm run generate -- --check` checks the constructs.) Also compares the
 * bindings that the build derives for CDKTF with the output of CDKTF's own generator.
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
  console.error(`Files are out of date. Run \`npm run cdktf:bindings\` and commit the result:${files}`);
  process.exitCode = 1;
}
const other = await compareForCdktf(bindings, schema);
if (other.length > 0) {
  console.error(
    `CDKTF's generator and scripts/cdktf/libraries.ts write different files:\n  ${other.join("\n  ")}`,
  );
  process.exitCode = 1;
}
// Generates the constructs on top of the bindings.
if (!isCheck) await import("./generate.js");
