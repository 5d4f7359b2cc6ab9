import { type Rule, subjectOf, type Violation } from "../rule.js";

/*
 * `faq` is all the avatar knows of a page before it points to it: without it, it is an address and nothing else.
 */
export const linkWithoutFaq: Rule<"link-without-faq"> = (declaration) => {
  const { kind, spec } = declaration;
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const links = spec[name];
    if (field.type !== "list" || !("faq" in field.item) || !Array.isArray(links)) return [];
    return links.flatMap((link, i): Violation[] => {
      if ((link.faq ?? "").trim() !== "") return [];
      const path = [name, i];
      const message = `${subjectOf(declaration, path)} has no faq`;
      return [{ path, message, hint: "say in faq what the page answers" }];
    });
  });
};
