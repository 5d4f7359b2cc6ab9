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

/** Whether there are objects of the kind: some kinds exist only with a profile. */
export function isOffered({ create, update }: Kind): boolean {
  return (create ?? update) !== undefined;
}

/** Whether some deployment can delete objects of the kind. */
export function isRemovable(kind: Kind): boolean {
  return onDeployments(kind).some(({ remove }) => remove);
}

/** Whether some deployment can delete what a new object of the kind has superseded. */
export function isRotated(kind: Kind): boolean {
  return onDeployments(kind).some(({ create, update, remove }) => create && !update && remove);
}

function onDeployments(kind: Kind): Kind[] {
  return [undefined, ...profileNames].map((profile) => withProfile(kind, profile));
}
