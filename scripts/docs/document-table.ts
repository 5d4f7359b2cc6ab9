/** Part of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** Returns a row for each key of a document: the key, whether it is always present, its meaning and its values. */
export function listDocumentRows(schema: Schema): string[][] {
  const findDefinition = ({ $ref }: Schema) =>
    schema.definitions?.[$ref?.replace("#/definitions/", "") ?? ""];
  const rows: string[][] = [];
  const add = (owner: Schema, path: string): void => {
    const keys = Object.entries(owner.properties ?? {});
    // Omits the keys of objects that only contain counts, such as a summary.
    if (keys.length > 3 && keys.every(([, part]) => part.type === "integer" && !part.description)) return;
    for (const [key, given] of keys) {
      const part = { ...(given.allOf?.[0] ?? {}), ...given };
      const here = path === "" ? key : `${path}.${key}`;
      rows.push([
        `\`${here}\``,
        owner.required?.includes(key) ? "always" : "",
        part.description ?? findDefinition(part)?.description ?? "",
        describeValues(part),
      ]);
      const inner = part.items ?? part;
      add(findDefinition(inner) ?? inner, part.items ? `${here}[]` : here);
    }
  };
  add(schema, "");
  return rows;
}

/** Returns a row for each documented value of a key. */
export function listValueRows(schema: Schema, definition: string, key: string): string[][] {
  const values = schema.definitions?.[definition]?.properties?.[key]?.anyOf ?? [];
  return values.flatMap((one) =>
    one.const === undefined ? [] : [[`\`${one.const}\``, one.description ?? ""]],
  );
}

function describeValues({ const: only, enum: values, anyOf = [] }: Schema): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  const explained = anyOf.some((one) => one.const !== undefined);
  if (explained) return "see below; may grow";
  const growing = anyOf.find((one) => one.enum)?.enum;
  const shown = (values ?? growing ?? []).map((value) => `\`${value}\``).join(", ");
  return growing ? `${shown}; may grow` : shown;
}
