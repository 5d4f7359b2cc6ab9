import {
  currentVersion,
  resolveWithVersion,
  type SourceEnvironment,
  SourceError,
  type ValueSource,
} from "../../src/core/secrets/index.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** The value and version of a source, or the error in its place. */
export async function read(
  source: ValueSource,
  environment: Variables,
  more: Partial<SourceEnvironment> = {},
) {
  const { value, version } = await resolveWithVersion(source, {
    root: "/",
    environment,
    backoffMs: 1,
    ...more,
  });
  return version === undefined ? { value: value.reveal() } : { value: value.reveal(), version };
}

/** The current version of a source. */
export function versionOf(
  source: ValueSource,
  environment: Variables,
  more: Partial<SourceEnvironment> = {},
) {
  return currentVersion(source, { root: "/", environment, backoffMs: 1, ...more });
}

/** The error that asking ends with. */
export async function errorOf(asking: Promise<unknown>): Promise<SourceError> {
  const error = await asking.then(
    (answer) => new Error(`No error but ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof SourceError) return error;
  throw error;
}
