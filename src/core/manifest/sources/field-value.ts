import * as z from "zod";
import {
  listFields,
  type SourceField,
  type SourceKind,
  type SourceValue,
  type ValueSource,
} from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import { looksLikeKey, namesVariable } from "./variable-name.js";

/* What a field of a source may be: for reading it, and for whether it may be shown. */

const text = z.string().min(1);
const variable = text.refine(
  namesVariable,
  "must be the name of an environment variable: write its name, and not its value",
);
const shown = text.refine((value) => !looksLikeKey(value), {
  error:
    "looks like a key or a token: it would put a secret into git, and a source takes its credentials from environment variables",
  params: { code: "literal-secret" },
});
const address = shown.refine((value) => {
  const { protocol = "", username = "", password = "" } = URL.canParse(value) ? new URL(value) : {};
  return /^https?:$/.test(protocol) && !username && !password;
}, "must be the address of a server, without credentials, such as https://vault.example.com");
const texts = z
  .array(z.string())
  .min(1)
  .refine(([first]) => first !== "", "must not begin with an empty text");

/** What a field may be. */
export function createFieldForm({ type, values, pattern, description }: SourceField): z.ZodType {
  const forms = { file: text, variable, url: address, "string-list": texts };
  if (type === "number") return z.number();
  if (type === "boolean") return z.boolean();
  if (type !== "string") return forms[type];
  return shown
    .refine((value) => values?.includes(value) ?? true, `must be ${values?.join(" or ")}`)
    .refine(
      (value) => !pattern || pattern.exec(value)?.[0] === value,
      `is not of the form it needs: ${description}`,
    );
}

function readWords(node: Node): string | readonly string[] | undefined {
  if (node.is === "scalar")
    return typeof node.value === "string" && node.value !== "" ? node.value : undefined;
  if (node.is !== "list") return undefined;
  const words = node.items.map((item) => (item.is === "scalar" && !item.tag ? item.value : undefined));
  return words.every((word) => typeof word === "string") ? words : undefined;
}

/** The fields that a shorthand means; undefined if it is not of the kind's form. */
export function readShorthand(
  node: Node,
  kind: SourceKind,
): Readonly<Record<string, SourceValue>> | undefined {
  const words = readWords(node);
  const given = words === undefined ? undefined : kind.shorthand?.read(words);
  return given as Readonly<Record<string, SourceValue>> | undefined;
}

/** Whether a value may be shown: what is none of a field may be the key itself, pasted after the tag. */
export function isShown(node: Node, field: SourceField): boolean {
  return !node.tag && !node.broken && mayBeShown(node.is === "scalar" ? node.value : readWords(node), field);
}

/** Whether each field of a source may be shown. A value that does not fit its field may be the secret itself. */
export function isSourceShown(source: ValueSource, kind: SourceKind): boolean {
  return [...listFields(kind)].every(([name, field]) => {
    const value = source[name];
    return value === undefined || mayBeShown(value, field);
  });
}

/** Whether what follows a tag may be shown, also if it is not of the kind's form. */
export function isShorthandShown(node: Node, kind: SourceKind): boolean {
  const words = node.is === "list" ? node.items : [node];
  const areNames = words.every((word) => word.is === "scalar" && !looksLikeKey(String(word.value)));
  if (!kind.shorthand || !areNames) return false;
  const fields = readShorthand(node, kind);
  // Whatever else is behind !env may be the value of the variable.
  return fields ? isSourceShown({ ...fields, from: kind.name }, kind) : kind.name !== "env";
}

function mayBeShown(value: unknown, field: SourceField): boolean {
  const words = [value].flat();
  return createFieldForm(field).safeParse(value).success && !words.some((word) => looksLikeKey(String(word)));
}
