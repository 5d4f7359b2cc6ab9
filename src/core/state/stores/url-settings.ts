import { wrongLocation } from "./errors.js";

/** The values of a URL's query; each name must be one of these. */
export function settingsIn<Name extends string>(
  url: URL,
  location: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const unknown = [...url.searchParams.keys()].find((name) => !names.includes(name as Name));
  if (unknown !== undefined) {
    throw wrongLocation(location, `has the unknown setting "${unknown}". Known are: ${names.join(", ")}.`);
  }
  return Object.fromEntries(url.searchParams) as Partial<Record<Name, string>>;
}
