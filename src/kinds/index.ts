/** The kinds of object: one file each, all that is known of it. */
import { avatar } from "./avatar.js";
import { context } from "./context.js";
import type { Kind, ValueSetting } from "./kind.js";
import { secret } from "./secret.js";
import { voice } from "./voice.js";

/** What can be planned for an object. */
export {
  type Action,
  type ActionFacts,
  actionNames,
  factsOf,
  type PlanExit,
  planExits,
} from "./actions.js";
export {
  comparable,
  differingFields,
  digestOf,
  digestSpec,
  emptyValue,
  readableFields,
  referenceFields,
  sameValue,
  sizeOf,
  withLineFeeds,
  writeOnlyFields,
} from "./compare.js";
export { digestChanges } from "./digest-changes.js";
export type {
  ComputedAttribute,
  Field,
  Identity,
  Item,
  Kind,
  ListedObject,
  ListField,
  ListOperation,
  ListResult,
  Live,
  ReferenceField,
  Spec,
  StopReading,
  StringField,
  Value,
  ValueSetting,
  WriteInput,
} from "./kind.js";
/** What a list told of one kind. */
export { type Listing, oldestFirst, toListing } from "./listing.js";
/** What a token is asked for with: presets. */
export {
  type PresetField,
  type PresetFields,
  preset,
  presetKey,
  presetReferences,
  withArticle,
} from "./preset.js";
/** The service's times, and when one may be trusted to change with the next edit. */
export {
  detectsChangesByTimestamp,
  isPreciseTimestamp,
  isReliableTimestamp,
  parseTimestamp,
} from "./timestamps.js";
export {
  type AllowedValues,
  problemsIn,
  protectDescription,
  schemaOf,
  sourced,
  type Validator,
  type ValueProblem,
  validatorOf,
  webAddress,
} from "./validator.js";

/** Every kind, in the order in which they are shown. */
export const kinds: readonly Kind[] = [avatar, voice, context, secret];

/** The settings that add values to fields, in the order of the kinds. */
export const valueSettings: readonly ValueSetting[] = kinds.flatMap(({ fields }) =>
  Object.values(fields).flatMap((field) => (field.type === "string" && field.valuesFrom) || []),
);

/** The kind whose objects can be Markdown files, and the field that is their text. */
export const documentKind: { readonly kind: Kind; readonly body: string } = (() => {
  for (const kind of kinds) if (kind.markdownBody !== undefined) return { kind, body: kind.markdownBody };
  throw new Error("Bug: no kind can be a Markdown file");
})();

/** The kind of that name, as in an address. */
export function kindNamed(name: string): Kind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** `kind.key`, by which an object is spoken of everywhere. */
export function addressOf(kind: Kind, key: string): string {
  return `${kind.name}.${key}`;
}

/** The parts of an address; undefined where it is none. */
export function parseAddress(address: string): { kind: Kind; key: string } | undefined {
  const dot = address.indexOf(".");
  const kind = kindNamed(address.slice(0, dot));
  const key = address.slice(dot + 1);
  return dot > 0 && kind && key ? { kind, key } : undefined;
}
