import { bearer, getJson, type JsonApi, parseServerAddress, propertyIn, textIn } from "../json-api.js";
import { runProgram } from "../program.js";
import { empty, failed, malformed, notFound, notSet, refused } from "../source-error.js";
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

const connectAdvice = "Check OP_CONNECT_HOST and the proxy.";

/** The value of a field, and the version of its item: https://developer.1password.com/docs/connect/api-reference. */
async function readWithConnect(
  api: JsonApi,
  reference: Reference,
  context: SourceContext,
): Promise<{ readonly value: string; readonly version: string }> {
  const { path, id } = await findItem(api, reference, context);
  const item = await ask(api, `${path}/${id}`, `the item ${reference.item}`, context);
  const field = findField(item, reference);
  const value = textIn(field, "value");
  if (value === undefined) throw empty("is empty. Give it a value.");
  return { value, version: readVersion(item) };
}

/** The version of an item, from the list of items, which has no values. */
async function versionWithConnect(
  api: JsonApi,
  reference: Reference,
  context: SourceContext,
): Promise<string> {
  const { item } = await findItem(api, reference, context);
  return readVersion(item);
}

/** The item in the list of items, and the path of its vault's items. */
async function findItem(api: JsonApi, { vault, item }: Reference, context: SourceContext) {
  const vaults = await ask(api, "/v1/vaults", "the vaults", context);
  const path = `/v1/vaults/${readId(findOne(vaults, "name", vault, "vault"))}/items`;
  // A title in the filter, and every item for an ID, which no filter knows.
  const query = isId(item) ? "" : `?${new URLSearchParams({ filter: `title eq "${item}"` })}`;
  const items = await ask(api, `${path}${query}`, `the items of the vault ${vault}`, context);
  const found = findOne(items, "title", item, "item");
  return { path, id: readId(found), item: found };
}

async function ask(api: JsonApi, path: string, what: string, context: SourceContext): Promise<unknown> {
  const { status, body } = await getJson(api, path, context);
  if (status === 200) return body;
  if (status === 401)
    throw refused(
      "cannot be read: Connect does not accept the token in OP_CONNECT_TOKEN. It may be wrong, expired or revoked.",
    );
  if (status === 403)
    throw refused(
      `cannot be read: the token in OP_CONNECT_TOKEN has no right to ${what}. It needs read access to the vault.`,
    );
  if (status === 404) throw notFound(`cannot be read: Connect does not find ${what}.`);
  throw refused(`cannot be read: Connect refuses the request (status ${status}).`);
}

/** The one with this ID, else the only one with this name. */
function findOne(list: unknown, property: "name" | "title", wanted: string, what: string): unknown {
  if (!Array.isArray(list)) throw notConnect();
  const [byId] = list.filter((one) => textIn(one, "id") === wanted);
  if (byId !== undefined) return byId;
  const [found, ...others] = list.filter(
    (one) => textIn(one, property) === wanted && textIn(one, "state") !== "ARCHIVED",
  );
  if (others.length > 0)
    throw failed(
      `cannot be read: there are ${others.length + 1} of the ${what} ${wanted}. Write the ID of one of them in its place.`,
    );
  if (found !== undefined) return found;
  throw notFound(
    `cannot be read: there is no ${what} ${wanted} that the token in OP_CONNECT_TOKEN may read. Correct its name, or give the token read access.`,
  );
}

function findField(item: unknown, { section, field }: Reference): unknown {
  const [fields, sections] = [propertyIn(item, "fields"), propertyIn(item, "sections") ?? []];
  if (!Array.isArray(fields) || !Array.isArray(sections)) throw notConnect();
  const isNamed = (one: unknown, wanted: string) =>
    textIn(one, "id") === wanted || textIn(one, "label") === wanted;
  const sectionIds = sections.filter((one) => isNamed(one, section ?? "")).map((one) => textIn(one, "id"));
  const named = fields.filter(
    (one) =>
      isNamed(one, field) &&
      (section === undefined || sectionIds.includes(textIn(propertyIn(one, "section"), "id"))),
  );
  const [found, ...others] = named;
  if (found === undefined) throw notFound("does not exist: the item has no such field.");
  if (others.length > 0)
    throw failed(
      `is not the only one of this name: the item has ${named.length}. Write the ID of the field, or its section.`,
    );
  return found;
}

function readVersion(item: unknown): string {
  const version = propertyIn(item, "version");
  if (typeof version === "number" && Number.isSafeInteger(version)) return String(version);
  throw notConnect();
}

function readId(one: unknown): string {
  const id = textIn(one, "id");
  if (id !== undefined && isId(id)) return id;
  throw notConnect();
}

function isId(text: string): boolean {
  return /^[a-z0-9]{26}$/.test(text);
}

function notConnect(): Error {
  return malformed(`cannot be read: the response is not from 1Password Connect. ${connectAdvice}`);
}

/** The parts of a secret reference, each a name or an ID. */
type Reference = NonNullable<ReturnType<typeof parseReference>>;

/** Without quotes and backslashes, which would end a filter of Connect. */
const name = /^[\p{L}\p{N} ._-]+$/u;

/** https://developer.1password.com/docs/cli/secret-reference-syntax */
function parseReference(written: string) {
  const [, path, query] = /^op:\/\/([^?]+)(?:\?([a-z=&-]+))?$/.exec(written) ?? [];
  const parts = path?.split("/") ?? [];
  if (parts.length < 3 || parts.length > 4 || !parts.every((part) => name.test(part))) return undefined;
  const [vault = "", item = "", third = "", fourth] = parts;
  return {
    vault,
    item,
    section: fourth === undefined ? undefined : third,
    field: fourth ?? third,
    /** After the question mark: what `op` does with the field, such as `attribute=otp`. */
    query,
  };
}
