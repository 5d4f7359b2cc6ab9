/**
 * Reads values of unknown shape: request bodies, queries, faults as JSON, the data file.
 *
 * A small validator of our own, on purpose: the client checks the service with another one, so that each
 * finds the other's mistakes. A shape returns the value, or undefined after it has passed every problem to
 * `found`, not only the first.
 */
export type Place = readonly (string | number)[];

export interface Problem {
  at: Place;
  message: string;
}

export type Shape<T> = (value: unknown, at: Place, found: (problem: Problem) => void) => T | undefined;

type Fields = Record<string, Shape<unknown>>;
type ValueOf<S> = S extends Shape<infer T> ? T : never;
type RecordOf<F extends Fields, R extends keyof F> = { [K in R]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, R>]?: ValueOf<F[K]>;
};

/** Reads a value, or returns everything that is wrong with it. */
export function readAs<T>(
  shape: Shape<T>,
  value: unknown,
  at: Place = [],
): { value: T } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const read = shape(value, at, (problem) => problems.push(problem));
  if (problems.length > 0) return { problems };
  return { value: read as T };
}

/** All problems in one line: `name: must have 1 to 64 characters; links.0.url: is missing`. */
export function sentenceOf(problems: readonly Problem[]): string {
  return problems.map(({ at, message }) => (at.length ? `${at.join(".")}: ${message}` : message)).join("; ");
}

export function text(limits: { min?: number; max?: number } = {}): Shape<string> {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  return (value, at, found) => {
    if (typeof value !== "string") return report(found, at, "must be a string");
    if (value.length >= min && value.length <= max) return value;
    const range = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`;
    return report(found, at, `must have ${range} characters`);
  };
}

/** An id of any UUID version, like those of the service. */
export const uuid: Shape<string> = (value, at, found) =>
  typeof value === "string" && uuidForm.test(value) ? value : report(found, at, "must be a UUID");

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return (value, at, found) =>
    values.find((known) => known === value) ?? report(found, at, `must be one of: ${values.join(", ")}`);
}

export const flag: Shape<boolean> = (value, at, found) =>
  typeof value === "boolean" ? value : report(found, at, "must be true or false");

export const decimal: Shape<number> = (value, at, found) =>
  typeof value === "number" && Number.isFinite(value) ? value : report(found, at, "must be a number");

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return (value, at, found) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    return report(found, at, `must be an integer ${range}`);
  };
}

/** An integer written in digits, as in a query. */
export function digits(min: number, max?: number): Shape<number> {
  const number = integer(min, max);
  return (value, at, found) =>
    number(typeof value === "string" && /^\d+$/.test(value) ? Number(value) : Number.NaN, at, found);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, at, found) => (value === null ? null : shape(value, at, found));
}

export function list<T>(item: Shape<T>): Shape<T[]> {
  return (value, at, found) => {
    if (!Array.isArray(value)) return report(found, at, "must be a list");
    return value.map((entry, i) => item(entry, [...at, i], found)) as T[];
  };
}

/** An object with any keys. */
export function dictionary<T>(item: Shape<T>): Shape<Record<string, T>> {
  return (value, at, found) => {
    if (!isObject(value)) return report(found, at, "must be an object");
    const entries = Object.entries(value).map(([key, entry]) => [key, item(entry, [...at, key], found)]);
    return Object.fromEntries(entries) as Record<string, T>;
  };
}

/** An object with fields; ignores unknown ones and treats null as missing, like the service. */
export function record<F extends Fields, R extends keyof F & string = never>(
  fields: F,
  ...required: R[]
): Shape<RecordOf<F, R>> {
  return (value, at, found) => {
    if (!isObject(value)) return report(found, at, "must be an object");
    const sent = Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined);
    return readFields(fields, required, Object.fromEntries(sent), at, found);
  };
}

/** An object with fields; any other field is an error: for input to the emulator itself. */
export function strictRecord<F extends Fields, R extends keyof F & string = never>(
  fields: F,
  ...required: R[]
): Shape<RecordOf<F, R>> {
  return (value, at, found) => {
    if (!isObject(value)) return report(found, at, "must be an object");
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(fields, name)) continue;
      report(found, [...at, name], `is unknown; use one of ${Object.keys(fields).join(", ")}`);
    }
    return readFields(fields, required, value, at, found);
  };
}

/** One of several objects, distinguished by the text in one field. */
export function variant<F extends Fields>(field: string, shapes: F): Shape<ValueOf<F[keyof F]>> {
  const names = oneOf(...Object.keys(shapes));
  return (value, at, found) => {
    if (!isObject(value)) return report(found, at, "must be an object");
    const name = names(value[field], [...at, field], found);
    return (name && shapes[name]?.(value, at, found)) as ValueOf<F[keyof F]> | undefined;
  };
}

function readFields<F extends Fields, R extends keyof F & string>(
  fields: F,
  required: R[],
  value: Record<string, unknown>,
  at: Place,
  found: (problem: Problem) => void,
): RecordOf<F, R> {
  const read: Record<string, unknown> = {};
  for (const [name, shape] of Object.entries(fields)) {
    if (Object.hasOwn(value, name)) read[name] = shape(value[name], [...at, name], found);
    else if (required.some((requiredName) => requiredName === name))
      report(found, [...at, name], "is missing");
  }
  return read as RecordOf<F, R>;
}

function report(found: (problem: Problem) => void, at: Place, message: string): undefined {
  found({ at, message });
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
