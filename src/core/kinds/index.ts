/** Kinds of objects, each described in one file. */
import { avatar } from "./avatar.js";
import { context } from "./context.js";
import { type Kind, type ProfileName, profileNames, type ValueSetting } from "./kind.js";
import { llmConfiguration } from "./llm-configuration.js";
import { isManageable, withProfile } from "./profile.js";
import { secret } from "./secret.js";
import { voice } from "./voice.js";

/** All kinds in display order. */
export const kinds: readonly Kind[] = [avatar, voice, context, secret, llmConfiguration];

/** Settings that extend the allowed values of fields, in kind order. */
export const valueSettings: readonly ValueSetting[] = kinds.flatMap(({ fields }) =>
  Object.values(fields).flatMap((field) => (field.type === "string" && field.valuesFrom) || []),
);

/** The kind whose objects can be Markdown files, with the field for the body. */
export const documentKind: { readonly kind: Kind; readonly body: string } = (() => {
  for (const kind of kinds) if (kind.markdownBody !== undefined) return { kind, body: kind.markdownBody };
  throw new Error("Bug: no kind can be a Markdown file");
})();

/** Returns the kinds that a deployment offers, with its profile's overrides applied. */
export function listKinds(profile: ProfileName | undefined): readonly Kind[] {
  return kinds.map((kind) => withProfile(kind, profile)).filter(isManageable);
}

/** Kinds that can filter sessions in at least one deployment. */
export const sessionKinds = profileNames.flatMap(listKinds).filter(({ sessionFilter }) => sessionFilter);

/** Finds a kind by its name in addresses, with a profile's overrides applied. */
export function findKind(name: string, profile?: ProfileName): Kind | undefined {
  const found = kinds.find((kind) => kind.name === name);
  return found && withProfile(found, profile);
}

/** Returns `kind.key`, which identifies an object in all output. */
export function toAddress(kind: Kind, key: string): string {
  return `${kind.name}.${key}`;
}

/** Splits an address into its parts. Returns undefined if the address is invalid. */
export function parseAddress(
  address: string,
  profile?: ProfileName,
): { kind: Kind; key: string } | undefined {
  const dot = address.indexOf(".");
  const kind = findKind(address.slice(0, dot), profile);
  const key = address.slice(dot + 1);
  return dot > 0 && kind && key ? { kind, key } : undefined;
}

export * from "./actions.js";
export * from "./compare.js";
export * from "./digest-changes.js";
export * from "./kind.js";
export * from "./listing.js";
export * from "./preset.js";
export * from "./profile.js";
export * from "./stock.js";
export { suggestAddress } from "./suggest-address.js";
export * from "./timestamps.js";
export * from "./validator.js";
