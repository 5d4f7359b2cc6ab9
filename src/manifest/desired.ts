import { type Kind, kinds, type Validator, validatorOf } from "../kinds/index.js";
import { readDeclaration } from "./declarations.js";
import type { Findings } from "./findings.js";
import { entriesIn } from "./gather.js";
import type { Declaration, Preset } from "./manifest.js";
import type { MapNode, Node } from "./node.js";
import { readPreset } from "./presets.js";
import { readSettings, type Settings } from "./settings.js";
import type { Reading } from "./source-tag.js";

/** What a tree says, read and checked. */
export interface Desired extends Settings {
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
}

/** Objects already read. Environments change few of them: the nodes of all others are the very same. */
export type ReadObjects = Map<Node, Declaration | undefined>;

/** Reads a whole tree. Everything wrong is reported; what is returned counts only where nothing is. */
export function readDesired(root: MapNode, reading: Reading, done: ReadObjects): Desired {
  const settings = readSettings(root, reading);
  const declarations = kinds.flatMap((kind) => {
    const validate = validatorOf(kind, settings.service);
    return declarationsOf(kind, root, validate, reading, done);
  });
  reportTwins(declarations, reading.findings);
  const names = new Map(
    kinds.map((kind) => [kind.name, [...entriesIn(root.entries.get(kind.collection)?.value).keys()]]),
  );
  const presets = [...entriesIn(root.entries.get("sessions")?.value)].flatMap(
    ([key, entry]) => readPreset(key, entry, names, reading) ?? [],
  );
  return { ...settings, declarations, presets };
}

function declarationsOf(
  kind: Kind,
  root: MapNode,
  validate: Validator,
  reading: Reading,
  done: ReadObjects,
): Declaration[] {
  const found: Declaration[] = [];
  for (const [key, entry] of entriesIn(root.entries.get(kind.collection)?.value)) {
    // One node may stand for two objects, through an alias.
    const known = done.get(entry.value);
    const isKnown = known?.key === key && known.kind === kind;
    const declaration = isKnown ? known : readDeclaration(kind, key, entry, validate, reading);
    if (!isKnown) done.set(entry.value, declaration);
    if (declaration) found.push(declaration);
  }
  return found;
}

/** Two declarations of one object, and two objects people could not tell apart. */
function reportTwins(declarations: readonly Declaration[], findings: Findings): void {
  const byId = new Map<string, Declaration>();
  const byLabel = new Map<string, Declaration>();
  for (const one of declarations) {
    const { kind, id, spec, address, spot } = one;
    const same = id && byId.get(`${kind.name} ${id.toLowerCase()}`);
    if (same) {
      findings.error(
        "duplicate-id",
        `${address} has the same id as ${same.address}`,
        spot,
        `${whereIs(same)}; remove one`,
      );
    } else if (id) byId.set(`${kind.name} ${id.toLowerCase()}`, one);
    const label = spec[kind.label];
    // Objects that are found by name could be taken for each other.
    if (typeof label !== "string" || kind.identity !== "assigned" || !kind.list) continue;
    const twin = byLabel.get(`${kind.name} ${label}`);
    if (twin) {
      const message = `${address} has the same ${kind.label} as ${twin.address}`;
      findings.warning("same-label", message, spot, `${whereIs(twin)}; the service may refuse the second`);
    } else byLabel.set(`${kind.name} ${label}`, one);
  }
}

function whereIs({ address, spot }: Declaration): string {
  const { file, line } = spot.source.place(spot.start);
  return `${address} is at ${file}:${line}`;
}
