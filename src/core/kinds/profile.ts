import { type Kind, type ProfileName, profileNames } from "./kind.js";

/** Cached kinds by profile, so that kinds can be compared by identity. */
const kindsByProfile = new WeakMap<Kind, Map<ProfileName, Kind>>();

/** Applies a profile's overrides to a kind. Returns the kind itself if there are none. */
export function withProfile(kind: Kind, profile: ProfileName | undefined): Kind {
  const more = profile && kind.profiles?.[profile];
  if (!more) return kind;
  const known = kindsByProfile.get(kind) ?? new Map<ProfileName, Kind>();
  kindsByProfile.set(kind, known);
  const found = known.get(profile) ?? { ...kind, ...more };
  known.set(profile, found);
  return found;
}

/** Returns the kind with the fields of all profiles. A field is required only if every profile requires it. */
export function withEveryField(kind: Kind): Kind {
  const fields = { ...kind.fields };
  for (const profile of profileNames)
    for (const [name, field] of Object.entries(withProfile(kind, profile).fields))
      if (!fields[name] || !field.required) fields[name] = field;
  return { ...kind, fields };
}

/** Returns whether objects of the kind can be managed. Some kinds exist only with a profile. */
export function isManageable({ create, update }: Kind): boolean {
  return (create ?? update) !== undefined;
}

/** Lists the profiles for which `has` returns true. Undefined stands for no profile. */
export function listProfiles(kind: Kind, has: (kind: Kind) => unknown): readonly (ProfileName | undefined)[] {
  return [undefined, ...profileNames].filter((profile) => has(withProfile(kind, profile)));
}

/** Returns whether any deployment has stock objects of the kind. */
export function hasStock(kind: Kind): boolean {
  return listProfiles(kind, ({ listStock }) => listStock).length > 0;
}

/** Returns whether any deployment can delete objects of the kind. */
export function isRemovable(kind: Kind): boolean {
  return listProfiles(kind, ({ remove }) => remove).length > 0;
}

/** Returns whether any deployment can delete superseded objects of the kind. */
export function isSupersededOnChange(kind: Kind): boolean {
  return listProfiles(kind, ({ create, update, remove }) => create && !update && remove).length > 0;
}

/** Returns whether all objects of a kind can be found and read. */
export function isListable({ list, read }: Kind): boolean {
  return list?.exhaustive === true && (list.whole || read !== undefined);
}

/** Returns whether any deployment can find and read all objects of a kind. */
export function isFindable(kind: Kind): boolean {
  return listProfiles(kind, isListable).length > 0;
}
