import * as z from "zod";
import { ordinal } from "./form.js";

const place = z
  .object({
    file: z.string().describe("Path relative to the current folder."),
    line: ordinal.describe("1-based line."),
    column: ordinal.describe("1-based column in UTF-16 code units, as editors count them."),
    length: ordinal.describe("Length of the range in code units."),
    text: z.string().describe("The source line; of a very long one, the part around the range."),
    text_column: ordinal
      .optional()
      .describe("The column at which `text` starts, if it is part of a very long line."),
  })
  .meta({ id: "Place", description: "A range on one line of a file." });

export const diagnostic = z
  .object({
    severity: z.enum(["error", "warning"]).describe("`error` stops the command."),
    code: z.string().describe("Kebab-case and stable: scripts may match it."),
    message: z.string().describe("One sentence: what is wrong."),
    place: place.optional(),
    hint: z.string().optional().describe("What to do next; after a line break, lines to paste."),
  })
  .meta({ id: "Diagnostic", description: "Something wrong in the files, or worth knowing." });

export const finding = diagnostic
  .extend({
    address: z.string().optional().describe("The object it is about. Absent: the plan as a whole."),
    field: z
      .string()
      .optional()
      .describe("Its field, such as `prompt` or `links[0].url`. Absent: the object as a whole."),
  })
  .meta({ id: "Finding", description: "What a rule of the policies says; `code` is its name." });
