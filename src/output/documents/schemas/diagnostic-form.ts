import * as z from "zod";
import { ordinal, record, text } from "./form.js";

const place = record("Place", "A range on one line of a file.", {
  file: text("Path relative to the current folder."),
  line: ordinal.describe("1-based line."),
  column: ordinal.describe("1-based column in UTF-16 code units, as editors count them."),
  length: ordinal.describe("Length of the range in code units."),
  text: text("The source line; of a very long one, the part around the range."),
  text_column: ordinal
    .optional()
    .describe("The column at which `text` starts, if it is part of a very long line."),
});

export const diagnostic = record("Diagnostic", "Something wrong in the files, or worth knowing.", {
  severity: z.enum(["error", "warning"]).describe("`error` stops the command."),
  code: text("Kebab-case and stable: scripts may match it."),
  message: text("One sentence: what is wrong."),
  place: place.optional(),
  hint: text("What to do next.").optional(),
});

export const finding = diagnostic
  .extend({
    address: text("The object it is about. Absent: the plan as a whole.").optional(),
    field: text("Its field, such as `prompt` or `links[0].url`. Absent: the object as a whole.").optional(),
  })
  .meta({ id: "Finding", description: "What a rule of the policies says; `code` is its name." });
