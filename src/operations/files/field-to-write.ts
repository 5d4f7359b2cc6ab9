import type { MergeConflict, MergedValue, MergeFavor } from "../../core/engine/index.js";
import type { Field, Value } from "../../core/kinds/index.js";
import { type Declaration, type DeclarationEdit, toOriginKey } from "../../core/manifest/index.js";

/** A value to write into the files. */
export interface FieldToWrite {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
  /** Set if the value is a merge of the live value and the declared one. */
  readonly merge?: FieldMerge;
}

/** Result of merging a live value with the declared one. */
export interface FieldMerge extends Omit<MergedValue, "value"> {
  /** How conflicts were resolved. Omitted if there are none. */
  readonly favor?: MergeFavor;
  /** Whether the merge drops lines of the declared value. */
  readonly dropsYours: boolean;
}

/** A value to write, its location in the files, and other texts that the edit would change. */
export interface PreparedEdit extends FieldToWrite {
  readonly edit: DeclarationEdit;
  readonly others?: readonly string[] | undefined;
}

/** A field or a whole object that is not written. */
export interface RefusedEdit {
  readonly address: string;
  readonly field?: string;
  /** Sentence for the user. */
  readonly reason: string;
  /** Lines that changed both in the files and in the account. */
  readonly conflicts?: readonly MergeConflict[];
}

/** Collects the file edits. A location that several objects share is written once. */
export function toEdits(fields: readonly PreparedEdit[]): DeclarationEdit[] {
  return [...new Map(fields.map(({ edit }) => [edit.replaced ?? toOriginKey(edit.origin), edit])).values()];
}

/** Names a field, such as `context.support.prompt`. */
export function nameField({ declaration, field }: Omit<FieldToWrite, "value">): string {
  return `${declaration.address}.${field}`;
}

/** Separates accepted fields from refused fields. */
export function partitionByRefusal<Some extends FieldToWrite>(
  all: readonly Some[],
  findReason: (field: Some) => string | undefined,
): { readonly fields: readonly Some[]; readonly refused: readonly RefusedEdit[] } {
  const refused: RefusedEdit[] = [];
  const fields = all.filter((one) => {
    const reason = findReason(one);
    if (reason !== undefined) refused.push({ address: one.declaration.address, field: one.field, reason });
    return reason === undefined;
  });
  return { fields, refused };
}

/** Returns the field's descriptor from the object's kind. */
export function findField({ declaration, field }: FieldToWrite): Field {
  const found = declaration.kind.fields[field];
  if (!found) throw new Error(`Bug: ${declaration.address} has no field ${field}`);
  return found;
}
