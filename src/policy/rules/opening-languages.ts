import type { Rule } from "../rule.js";

export const openingLanguages: Rule<"opening-languages"> = () => [];
