import type { Marker } from "./marker.js";

/** What a review is of: there is one of each on a pull request. */
export interface Reviewed {
  /** The main file's path in the repository. */
  readonly project: string;
  readonly environment?: string | undefined;
}

/** By which the comment of a review is found. */
export function reviewMarker({ project, environment = "" }: Reviewed): Marker {
  return { use: "review", about: { project, environment } };
}

/** Of the commit status: `avatarops/production`; of a project in a folder, `avatarops/FOLDER/production`. */
export function reviewContext({ project, environment }: Reviewed): string {
  const folder = project.replace(/(^|\/)avatarops(\.config)?\.\w+$/, "");
  return ["avatarops", folder, environment].filter(Boolean).join("/");
}

/** The description of a commit status, which carries the digest of the plan. */
export function reviewDescription(digest: string, counts: string, limit: number): string {
  const whole = Array.from(`Plan ${digest}: ${counts}`);
  return whole.length <= limit ? whole.join("") : `${whole.slice(0, limit - 1).join("")}…`;
}

/** The digest of the plan in the description of a commit status; undefined if there was no plan. */
export function digestInDescription(description: string): string | undefined {
  return /^Plan ([\w:+/=-]+): /.exec(description)?.[1];
}
