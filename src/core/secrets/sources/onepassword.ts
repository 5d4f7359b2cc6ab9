import { bearer, type JsonApi } from "../json-api.js";
import {
  connectAdvice,
  parseReference,
  type Reference,
  readWithConnect,
  versionWithConnect,
} from "../onepassword/connect.js";
import { runProgram } from "../program.js";
import { parseServerAddress } from "../server-address.js";
import { failed, notSet } from "../source-error.js";
import type { FieldsIn, SourceAnswer, SourceContext, SourceFields, SourceKind } from "../source-kind.js";
import { maxBytes, tooLongText } from "../text.js";

const fields = {
  reference: {
    type: "string",
    required: true,
    description:
      "Secret reference, as 1Password copies it: op://VAULT/ITEM/FIELD or op://VAULT/ITEM/SECTION/FIELD.",
  },
} as const satisfies SourceFields;

/** Fields of `!onepassword`. */
export type OnePasswordFields = FieldsIn<typeof fields>;

/**
 * A field of an item in 1Password: from a Connect server if the environment names one, as `op` does itself, else with
 * the program `op`.
 */
export const onepassword: SourceKind<OnePasswordFields> = {
  name: "onepassword",
  title: "1Password",
  fields,
  shorthand: {
    example: "!onepassword op://Production/LLM/api key",
    meaning: "a secret reference",
    read: (written) => (typeof written === "string" ? { reference: written } : undefined),
  },
  check: ({ reference }) =>
    parseReference(reference)
      ? undefined
      : "is not followed by a secret reference: write it like op://VAULT/ITEM/FIELD; where a name has other characters than letters, digits, -, _, . and space, write the ID in its place",
  describe: ({ reference }) => `1Password field ${reference.split("?", 1)[0]}`,
  rights: {
    value:
      "a Connect token with read access to the vault, in OP_CONNECT_TOKEN; or a service account with read access to it, in OP_SERVICE_ACCOUNT_TOKEN",
    version: "the same: 1Password has no right to metadata alone, and with `op` there is no version",
  },
  async read({ reference }, context) {
    const connect = findConnectServer(context);
    if (!connect) return readWithProgram(reference, context);
    return readWithConnect(connect, parse(reference), context);
  },
  async version({ reference }, context) {
    const connect = findConnectServer(context);
    return connect && versionWithConnect(connect, parse(reference), context);
  },
};

function parse(written: string): Reference {
  const reference = parseReference(written);
  if (!reference) throw failed("is not a secret reference.");
  if (reference.query === undefined) return reference;
  throw failed(
    "has an attribute, which a Connect server does not know. Unset OP_CONNECT_HOST to read it with `op`.",
  );
}

function findConnectServer(context: SourceContext): JsonApi | undefined {
  const { environment, checkAddress } = context;
  const [host, token] = [environment.OP_CONNECT_HOST?.trim(), environment.OP_CONNECT_TOKEN?.trim()];
  if (!host && !token) return undefined;
  if (!host || !token) {
    const [there, missing] = host ? ["HOST", "TOKEN"] : ["TOKEN", "HOST"];
    throw notSet(
      `cannot be read: OP_CONNECT_${there} is set, and OP_CONNECT_${missing} is not. Set both, or neither to use \`op\`.`,
    );
  }
  const address = parseServerAddress(host);
  if (address !== undefined) {
    checkAddress(address, "environment");
    const title = "1Password Connect";
    return { title, address, headers: bearer(token, title), advice: connectAdvice };
  }
  // Not repeated: what is wrong with it may be a password in it.
  throw failed("cannot be read: OP_CONNECT_HOST is not an address like https://connect.example.com:8080.");
}

/** What `op` says is dropped as that of any program, because it may contain the value. */
async function readWithProgram(reference: string, context: SourceContext): Promise<SourceAnswer> {
  const value = await runProgram(["op", "read", "--no-newline", reference], context, maxBytes, {
    tooLong: tooLongText,
    notFound:
      "cannot be read: there is no program `op`. Install the 1Password CLI, or set OP_CONNECT_HOST and OP_CONNECT_TOKEN.",
    notStarted: (system) => `cannot be read: \`op\` could not be started (${system}).`,
    ended: (how) =>
      failed(
        `cannot be read: \`op read\` ended with ${how}. Run it by hand to see why; in CI, check OP_SERVICE_ACCOUNT_TOKEN and the vaults that the service account may read.`,
      ),
  });
  return { value };
}
