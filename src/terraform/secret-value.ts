import { type Diagnostics, Dynamic, definitionsFor, Unknown, type Value } from "@avatarops/terraform-plugin";
import type { SourceRun, ValueSource } from "../secrets/index.js";
import type { Account } from "./account/open-account.js";
import type { ProviderEnvironment } from "./settings.js";
import { toJson, type Values } from "./values.js";

/**
 * A value from one of the sources that a manifest names with a tag, such as `!vault`. `fields` is whatever that source
 * has, so that the schema stays as it is when a source is added.
 */
export function secretValue({ cwd, environment, waits }: ProviderEnvironment, run: () => Promise<SourceRun>) {
  return definitionsFor<Account>().ephemeralResource({
    description:
      "A secret value from a vault, a file, a command or an environment variable. It is read in every plan and every apply, and is never in a plan or a state: give it to a write-only argument. The providers of vaults have ephemeral resources of their own; this one is for values that a manifest of avatarops names, too.",
    attributes: {
      from: {
        type: "string",
        required: true,
        description: "The source, by the name of its tag in a manifest, such as `vault`, `sops` or `env`.",
      },
      fields: {
        type: "dynamic",
        required: true,
        description:
          "An object with the fields of that source, spelled as in a manifest; `timeout_seconds` is one of each. Paths begin at the folder terraform runs in, and stay in it.",
      },
      value: { type: "string", computed: true, sensitive: true, description: "The value." },
      version: {
        type: "string",
        computed: true,
        description: "The version of the value, where the source tells one.",
      },
    },
    async validate({ config, diagnostics }) {
      await sourceIn(config as Values, diagnostics);
    },
    async open({ config, diagnostics, signal }) {
      const source = await sourceIn(config as Values, diagnostics);
      if (!source) return null;
      // Loaded here: most processes that terraform starts never read a value.
      const { resolveWithVersion, SourceError } = await import("../secrets/index.js");
      const { resolve } = await import("node:path");
      try {
        const { value, version } = await resolveWithVersion(source, {
          ...{ root: resolve(cwd ?? ""), environment, signal },
          ...{ run: await run(), backoffMs: waits?.backoffMs },
        });
        return { result: { ...config, value: value.reveal(), version: version ?? null } };
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        diagnostics.error("The secret value cannot be read", error.message, ["fields"]);
        return null;
      }
    },
  });
}

/** The source that is configured; undefined while it is not known, or if something is wrong with it, which is reported. */
async function sourceIn(
  { from, fields }: Values,
  { error, warning }: Diagnostics,
): Promise<ValueSource | undefined> {
  const given = fields instanceof Dynamic ? fields.value : fields;
  if (typeof from !== "string" || given === undefined || isUnknown(given)) return undefined;
  const { readSourceRecord } = await import("../manifest/index.js");
  const { source, diagnostics } = await readSourceRecord(from, toJson(given) as object);
  for (const { severity, code, message, hint } of diagnostics) {
    const report = severity === "error" ? error : warning;
    // What is a tag in a manifest is a name here.
    const said = [message, hint ?? ""].map((text) => text.replaceAll(`!${from}`, from));
    report(capitalised(said[0] ?? ""), said[1] ?? "", [code === "unknown-source" ? "from" : "fields"]);
  }
  return source;
}

function isUnknown(value: Value): boolean {
  if (value === Unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(isUnknown);
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
