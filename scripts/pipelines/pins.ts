import { globSync } from "tinyglobby";

/**
 * Version or commit that pipelines install. The Action and the GitLab template of a release are pinned to its commit.
 */
export interface Pin {
  readonly pin: string;
  /** Version from the comment that follows the commit hash. */
  readonly version?: string | undefined;
}

const pattern =
  /(?<=uses: avatarops\/avatarops@|githubusercontent\.com\/avatarops\/avatarops\/|AVATAROPS_VERSION: | version:\n +description: .*\n +default: |avatarops\.git#)([0-9a-f]{40}|\d+\.\d+\.\d+)(?: # v(\d+\.\d+\.\d+))?/g;

export const listPinnedFiles = () =>
  globSync(["examples/ci/**/*.yml", "templates/*.yml", "docs/**/*.md", "README.md"], {
    dot: true,
  }).toSorted();

export function findPins(text: string): Pin[] {
  return Array.from(text.matchAll(pattern), ([, pin = "", version]) => ({ pin, version }));
}

/** Replaces all pins with a commit, or with the version released from that commit. */
export function writePins(text: string, commit: string, version?: string): string {
  return text.replace(pattern, (_, __, ___, at: number) => {
    const before = text.slice(0, at);
    if (version === undefined || /[/#]$/.test(before)) return commit;
    return before.endsWith("@") ? `${commit} # v${version}` : version;
  });
}
