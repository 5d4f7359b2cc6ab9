import type * as z from "zod";

/**
 * What zod finds wrong with a value, to follow the value's path: "is missing", "is wrong: expected string,
 * received number". Needs an issue created with `reportInput`; contains nothing of the value.
 */
export function complaintOf(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  if (issue.code === "custom") return issue.message;
  return `is wrong: ${issue.message.replace(/^Invalid (?:input|option): /, "")}`;
}
