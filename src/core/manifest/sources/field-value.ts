import * as z from "zod";
import {
  listFields,
  type SourceField,
  type SourceKind,
  type SourceValue,
  type ValueSource,
} from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import { isLikelyKey, isVariableName } from "./variable-name.js";

/* Forms of source fields. They validate values, and decide whether a value is safe to print. */

const text = z.string().min(1);
const variable = text.refine(isVariableName, "must be the name of an environment variable, not its value");
const safeText = text.refine((value) => !isLikelyKey(value), {
  error: "looks like a key or a token, which must not be in git. Keep credentials in environment variables",
  params: { code: "literal-secret" },
});
const serverUrl = safeText.refine((value) => {
  const { protocol = "", username = "", password = "" } = URL.canParse(value) ? new URL(value) : {};
  return /^https?:$/.test(protocol) && !username && !password;
}, "must be a server URL without credentials, such as https://vault.example.com");
const texts = z
  .array(z.string())
  .min(1)
  .refine(([first]) => first !== "", "must not start with an empty string");

export function createFieldForm({ type, values, pattern, description }: SourceField): z.ZodType {
  const forms = { file: text, variable, url: serverUrl, "string-list": texts };
  if (type === "number") return z.number();
  if (type === "boolean") return z.boolean();
  if (type !== "string") return forms[type];
  return safeText
    .refine((value) => values?.includes(value) ?? true, `must be ${values?.join(" or ")}`)
    .refine(
      (value) => !pattern || pattern.exec(value)?.[0] === value,
      `is not valid. Expected: ${description}`,
    );
}

function readScalarOrList(node: Node): string | readonly string[] | undefined {
  if (node.is === "scalar")
    return typeof node.value === "string" && node.value !== "" ? node.value : undefined;
  if (node.is !== "list") return undefined;
  const words = node.items.map((item) => (item.is === "scalar" && !item.tag ? item.value : undefined));
  return words.every((word) => typeof word === "string") ? words : undefined;
}

/** Parses a shorthand into fields. Returns undefined if the node is not a valid shorthand. */
export function readShorthand(
  node: Node,
  kind: SourceKind,
): Readonly<Record<string, SourceValue>> | undefined {
  const words = readScalarOrList(node);
  const given = words === undefined ? undefined : kind.shorthand?.read(words);
  return given as Readonly<Record<string, SourceValue>> | undefined;
}

/** Returns whether a value is safe to print. A value that does not fit its field may be a pasted key. */
export function isSafeToPrint(node: Node, field: SourceField): boolean {
  return (
    !node.tag && !node.broken && fitsField(node.is === "scalar" ? node.value : readScalarOrList(node), field)
  );
}

/** Returns whether all fields of a source are safe to print. A value that does not fit its field may be a secret. */
export function isSourceSafeToPrint(source: ValueSource, kind: SourceKind): boolean {
  return [...listFields(kind)].every(([name, field]) => {
    const value = source[name];
    return value === undefined || fitsField(value, field);
  });
}

/** Returns whether the text after a tag is safe to print, even if it is not a valid shorthand. */
export function isShorthandSafeToPrint(node: Node, kind: SourceKind): boolean {
  const words = node.is === "list" ? node.items : [node];
  const areNames = words.every((word) => word.is === "scalar" && !isLikelyKey(String(word.value)));
  if (!kind.shorthand || !areNames) return false;
  const fields = readShorthand(node, kind);
  // Any other text after !env may be the variable's value.
  return fields ? isSourceSafeToPrint({ ...fields, from: kind.name }, kind) : kind.name !== "env";
}

function fitsField(value: unknown, field: SourceField): boolean {
  const words = [value].flat();
  return createFieldForm(field).safeParse(value).success && !words.some((word) => isLikelyKey(String(word)));
}
