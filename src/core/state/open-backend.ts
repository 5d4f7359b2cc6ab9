import { findUrlProblem, hideUrl, readScheme } from "../../base/files/index.js";
import { capitalize } from "../../base/text/index.js";
import { StateError } from "./state-error.js";
import type { StoreBackend, StoreEnvironment } from "./store-backend.js";
import { openFileStore } from "./stores/file.js";

type OpenStore = (url: URL, environment: StoreEnvironment) => Promise<StoreBackend>;

interface StoreLoaders {
  /** Loads the parser for the store's URLs. */
  readonly parser: () => Promise<(url: URL) => unknown>;
  readonly store: () => Promise<OpenStore>;
}

const http: StoreLoaders = {
  async parser() {
    const { readHttpSettings } = await import("./stores/http-settings.js");
    return (url) => readHttpSettings(url, {}, false);
  },
  store: async () => (await import("./stores/http.js")).openHttpStore,
};
const postgres: StoreLoaders = {
  parser: async () => (await import("./stores/postgres-address.js")).parsePostgresAddress,
  store: async () => (await import("./stores/postgres.js")).openPostgresStore,
};

/** Loaders for all stores except files, by URL scheme. */
const stores: Readonly<Record<string, StoreLoaders>> = {
  "git+refs": {
    parser: async () => (await import("./stores/git-address.js")).parseGitAddress,
    store: async () => (await import("./stores/git.js")).openGitStore,
  },
  ...{ https: http, http },
  s3: {
    parser: async () => (await import("./stores/s3-address.js")).parseS3Address,
    store: async () => (await import("./stores/s3.js")).openS3Store,
  },
  ...{ postgres, postgresql: postgres },
};

/**
 * Opens the store at a location (absolute path or URL).
 *
 * @throws StateError `unknown-store`, or a store error.
 */
export async function openBackend(location: string, environment: StoreEnvironment): Promise<StoreBackend> {
  if (environment.openBackend) return environment.openBackend(location, environment);
  const scheme = readScheme(location);
  if (scheme === undefined) return openFileStore(location, environment, environment.root);
  rejectCredentials(location);
  const open = await findLoaders(scheme, location).store();
  return open(new URL(location), environment);
}

/** Checks a state URL without opening its store. Returns the error that opening the store would report. */
export type FindStateProblem = (location: string) => StateError | undefined;

export async function loadStateCheck(): Promise<FindStateProblem> {
  const loading = Object.entries(stores).map(
    async ([scheme, { parser }]) => [scheme, await parser()] as const,
  );
  const parsers = new Map(await Promise.all(loading));
  return (location) => {
    const scheme = readScheme(location);
    if (scheme === undefined) return undefined;
    try {
      rejectCredentials(location);
      findLoaders(scheme, location);
      parsers.get(scheme)?.(new URL(location));
      return undefined;
    } catch (error) {
      if (error instanceof StateError) return error;
      throw error;
    }
  };
}

function findLoaders(scheme: string, location: string): StoreLoaders {
  const found = Object.hasOwn(stores, scheme) ? stores[scheme] : undefined;
  if (found) return found;
  throw createUnknownStoreError(location);
}

function rejectCredentials(location: string): void {
  const found = findUrlProblem(location);
  if (!found) return;
  const { code, problem, advice } = found;
  const shown = hideUrl(location);
  const form = readScheme(location) === "" ? "" : ` (${shown})`;
  throw new StateError(code, shown, `The state URL ${problem}${form}. ${capitalize(advice)}.`);
}

function createUnknownStoreError(location: string): StateError {
  const shown = hideUrl(location);
  return new StateError(
    "unknown-store",
    shown,
    `${shown} is not a supported state store. Use a file in the project, or a URL that starts with one of: ${Object.keys(
      stores,
    )
      .map((scheme) => `${scheme}://`)
      .join(", ")}.`,
  );
}
