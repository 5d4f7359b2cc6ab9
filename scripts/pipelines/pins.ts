import { globSync } from "tinyglobby";

/** What pipelines install: a commit, or a version. The Action and the component stand at the commit of a version, with that behind it. */
export interface Pin {
  readonly pin: string;
  /** Version of the commit, if it is that of a release. */
  readonly version?: string | undefined;
}

const pattern =
  /(?<=avatarops\/avatarops@|AVATAROPS_VERSION: | version:\n +description: .*\n +default: |avatarops\.git#)([0-9a-f]{40}|\d+\.\d+\.\d+)(?: # v(\d+\.\d+\.\d+))?/g;

export const pinnedFiles = () =>
  globSync(["examples/ci/**/*.yml", "templates/*.yml", "docs/**/*.md", "README.md"], { dot: true }).toSorted();

export function pinsIn(text: string): Pin[] {
  return Array.from(text.matchAll(pattern), ([, pin = "", version]) => ({ pin, version }));
}

/** The text with another pin; `version` is that of the commit, if it was released. */
export function writePins(text: string, commit: string, version?: string): string {
  return text.replace(pattern, (_, __, ___, at: number) => {
    const isGitReference = /(?:avatarops@|\.git#)$/.test(text.slice(0, at));
    if (version === undefined) return commit;
    return isGitReference ? `${commit} # v${version}` : version;
  });
}
