import { type Kind, type ProfileName, profileNames } from "./kind.js";

/** The kinds with more powers, made once each, so that a kind of a profile is always the same object. */
const made = new WeakMap<Kind, Map<ProfileName, Kind>>();

/** The kind with the powers that a profile adds to it; the kind itself if it adds none. */
export function withProfile(kind: Kind, profile: ProfileName | undefined): Kind {
  const more = profile && kind.profiles?.[profile];
  if (!more) return kind;
  const known = made.get(kind) ?? new Map<ProfileName, Kind>();
  made.set(kind, known);
  const found = known.get(profile) ?? { ...kind, ...more };
  known.set(profile, found);
  return found;
}

/** The kind with the fields that it has with any profile; required is what is so with all. */
export function withEveryField(kind: Kind): Kind {
  const fields = { ...kind.fields };
  for (const profile of profileNames)
    for (const [name, field] of Object.entries(withProfile(kind, profile).fields))
      if (!fields[name] || !field.required) fields[name] = field;
  return { ...kind, fields };
}

/** Whether there are objects of the kind: some kinds exist only with a profile. */
export function isOffered({ create, update }: Kind): boolean {
  return (create ?? update) !== undefined;
}

/** With which profiles a kind has a power; undefined stands for none of them. */
export function profilesWith(kind: Kind, has: (kind: Kind) => unknown): readonly (ProfileName | undefined)[] {
  return [undefined, ...profileNames].filter((profile) => has(withProfile(kind, profile)));
}

/** Whether some deployment has objects of the kind that every account may use. */
export function hasStock(kind: Kind): boolean {
  return profilesWith(kind, ({ stock }) => stock).length > 0;
}

/** Whether some deployment can delete objects of the kind. */
export function isRemovable(kind: Kind): boolean {
  return profilesWith(kind, ({ remove }) => remove).length > 0;
}

/** Whether some deployment can delete what a new object of the kind has superseded. */
export function isRotated(kind: Kind): boolean {
  return profilesWith(kind, ({ create, update, remove }) => create && !update && remove).length > 0;
}

/** Whether all objects of a kind can be found and read. */
export function isListed({ list, read }: Kind): boolean {
  return list?.exhaustive === true && (list.whole || read !== undefined);
}

/** Whether some deployment can find and read all objects of a kind. */
export function isFindable(kind: Kind): boolean {
  return profilesWith(kind, isListed).length > 0;
}
