import * as z from "zod";
import type { Account } from "./account.js";
import type { Dataset } from "./dataset.js";
import { EmulatorInputError } from "./input-error.js";
import type { Resource, Sources } from "./resource.js";
import * as resources from "./resources.js";
import { joinProblems, readAs, strictObject } from "./shape.js";

/** What the dashboard pages of all resources can do. */
type Pages = Intersection<
  { [Name in keyof typeof resources]: PageOf<(typeof resources)[Name]> }[keyof typeof resources]
>;
type PageOf<R> = R extends Resource<infer _, infer Page> ? Page : never;
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All extends object,
) => void
  ? All
  : never;

/** What a colleague can do in the service's dashboard; each edit updates updated_at. */
export interface Dashboard extends Pages {
  /** A live view that includes changes by requests. Sessions end when someone reads them. */
  readonly world: Dataset;
}

const all: readonly Resource[] = Object.values(resources);

export function openDashboard(account: Account, sources: Sources): Dashboard {
  const pages = all.map((resource) => resource.dashboard?.(account, sources) ?? {});
  return Object.assign({ world: account.world as unknown as Dataset }, ...pages) as Dashboard;
}

/** An edit as JSON, such as `{"do":"renameAvatar","id":"…","name":"Front desk"}`. Throws EmulatorInputError. */
export function edit(dashboard: Dashboard, value: unknown): unknown {
  const read = readAs(editSchema, value);
  if ("problems" in read) throw new EmulatorInputError("edit", joinProblems(read.problems));
  const { do: name, ...given } = read.value as { do: keyof Pages } & Record<string, unknown>;
  const method = dashboard[name] as (...parameters: unknown[]) => unknown;
  return method(...Object.keys(edits[name] ?? {}).map((parameter) => given[parameter]));
}

const edits: Record<string, z.core.$ZodShape> = Object.assign({}, ...all.map((resource) => resource.edits));

const editSchema = z.discriminatedUnion("do", [
  ...Object.entries(edits).map(([name, parameters]) => strictObject({ ...parameters, do: z.literal(name) })),
] as unknown as [z.ZodObject<{ do: z.ZodLiteral<string> }>]);
