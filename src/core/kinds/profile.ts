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

/** Whether some deployment can delete objects of the kind. */
export function isRemovable(kind: Kind): boolean {
  return [undefined, ...profileNames].some((profile) => withProfile(kind, profile).remove);
}
