import { type Kind, type ProfileName, profileNames } from "./kind.js";

/** Kinds by profile, so that a kind of a profile is always the same object. */
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

/** Whether objects of the kind can be managed. Some kinds exist only with a profile. */
export function isManageable({ create, update }: Kind): boolean {
  return (create ?? update) !== undefined;
}

/** Returns the profiles for which `has` is true; undefined stands for no profile. */
export function listProfiles(kind: Kind, has: (kind: Kind) => unknown): readonly (ProfileName | undefined)[] {
  return [undefined, ...profileNames].filter((profile) => has(withProfile(kind, profile)));
}

/** Whether any deployment has stock objects of the kind. */
export function hasStock(kind: Kind): boolean {
  return listProfiles(kind, ({ stock }) => stock).length > 0;
}

/** Whether any deployment can delete objects of the kind. */
export function isRemovable(kind: Kind): boolean {
  return listProfiles(kind, ({ remove }) => remove).length > 0;
}

/** Whether any deployment can delete superseded objects of the kind. */
export function isSupersededOnChange(kind: Kind): boolean {
  return listProfiles(kind, ({ create, update, remove }) => create && !update && remove).length > 0;
}

/** Whether all objects of a kind can be found and read. */
export function isListed({ list, read }: Kind): boolean {
  return list?.exhaustive === true && (list.whole || read !== undefined);
}

/** Whether any deployment can find and read all objects of a kind. */
export function isFindable(kind: Kind): boolean {
  return listProfiles(kind, isListed).length > 0;
}
