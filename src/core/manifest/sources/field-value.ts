import * as z from "zod";
import { listFields, type SourceField, type SourceKind, type SourceValue } from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import { looksLikeKey, namesVariable } from "./variable-name.js";

/*
 * What a field of a source may be: for reading it, and for whether it may be shown. What is none may be the key itself,
 * pasted after the tag.
 */

const text = z.string().min(1);

/** The forms of fields, by type. */
export const fieldTypes: Readonly<Record<SourceField["type"], z.ZodType>> = {
  ...{ string: text, url: text, file: text, variable: text, "string-list": z.array(z.string()).min(1) },
  ...{ number: z.number(), boolean: z.boolean() },
};

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

export interface ValueProblem {
  readonly code: string;
  /** The end of a sentence. */
  readonly message: string;
  readonly hint?: string;
  /** It may be a key, or have one in it. */
  readonly isSecret?: true;
}

/** What is wrong with a value of the right type. */
export function findProblem(value: SourceValue, field: SourceField): ValueProblem | undefined {
  if (Array.isArray(value) && value[0] === "")
    return { code: "wrong-type", message: "must not begin with an empty text" };
  if (typeof value !== "string" || field.type === "file") return undefined;
  if (field.type === "variable") {
    if (namesVariable(value)) return undefined;
    const message = "must be the name of an environment variable";
    return { code: "wrong-type", message, hint: "write its name, and not its value", isSecret: true };
  }
  if (looksLikeKey(value)) {
    const message = "looks like a key or a token: it would put a secret into git";
    const hint = "a source takes its credentials from environment variables";
    return { code: "literal-secret", message, hint, isSecret: true };
  }
  if (field.type === "url") return findUrlProblem(value);
  if (field.values && !field.values.includes(value))
    return { code: "invalid-value", message: `must be ${field.values.join(" or ")}` };
  if (field.pattern && field.pattern.exec(value)?.[0] !== value)
    return { code: "invalid-value", message: `is not of the form it needs: ${field.description}` };
  return undefined;
}

function findUrlProblem(text: string): ValueProblem | undefined {
  const { protocol = "", username = "", password = "" } = URL.canParse(text) ? new URL(text) : {};
  if (username || password) {
    const [message, hint] = ["has credentials in it", "remove them: the address is in git"];
    return { code: "credentials-in-url", message, hint, isSecret: true };
  }
  if (protocol === "https:" || protocol === "http:") return undefined;
  const [message, hint] = ["must be the address of a server", "write https://vault.example.com"];
  return { code: "invalid-value", message, hint, isSecret: true };
}

export function isShown(node: Node, field: SourceField): boolean {
  if (node.tag || node.broken) return false;
  const value = node.is === "scalar" ? node.value : readWords(node);
  return fieldTypes[field.type].safeParse(value).success && mayBeShown(value as SourceValue, field);
}

/** Whether what follows a tag may be shown, also if it is not of the kind's form. */
export function isShorthandShown(node: Node, kind: SourceKind): boolean {
  const words = node.is === "list" ? node.items : [node];
  const areNames = words.every((word) => word.is === "scalar" && !looksLikeKey(String(word.value)));
  if (!kind.shorthand || !areNames) return false;
  const fields = readShorthand(node, kind);
  // Whatever else is behind !env may be the value of the variable.
  if (!fields) return kind.name !== "env";
  return [...listFields(kind)].every(([name, field]) => {
    const value = fields[name];
    return value === undefined || mayBeShown(value, field);
  });
}

function mayBeShown(value: SourceValue, field: SourceField): boolean {
  const words = typeof value === "object" ? value : [String(value)];
  return !words.some(looksLikeKey) && !findProblem(value, field)?.isSecret;
}
