import { Dynamic, definitionsFor, Unknown, type Value } from "@avatarops/terraform-plugin";
import type { Account } from "./account/open-account.js";
import type { SecretSources } from "./secret-sources.js";
import { toJson, type Values } from "./values.js";

/**
 * A value from one of the sources that a manifest names with a tag, such as `!vault`. `fields` is whatever that source
 * has, so that the schema stays as it is when a source is added.
 */
export function secretValue(sources: () => Promise<SecretSources>) {
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
        description: "The version of the value, if the source has one.",
      },
    },
    async validate({ config, diagnostics }) {
      const given = knownIn(config as Values);
      if (given) await (await sources()).find(given.from, given.fields, diagnostics);
    },
    async open({ config, diagnostics, signal }) {
      const given = knownIn(config as Values);
      if (!given) return null;
      const opened = await sources();
      const source = await opened.find(given.from, given.fields, diagnostics);
      const found = source && (await opened.read(source, signal, diagnostics));
      return found ? { result: { ...config, ...found } } : null;
    },
  });
}

/** What is configured, as JSON; undefined where some of it is known only after apply. */
function knownIn({ from, fields }: Values): { readonly from: string; readonly fields: object } | undefined {
  const given = fields instanceof Dynamic ? fields.value : fields;
  if (typeof from !== "string" || given === undefined || isUnknown(given)) return undefined;
  return { from, fields: toJson(given) as object };
}

function isUnknown(value: Value): boolean {
  if (value === Unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(isUnknown);
}
