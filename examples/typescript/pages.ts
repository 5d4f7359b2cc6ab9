import type { LinkProps } from "avatarops";

/** Returns the link to a page of the shop, with its FAQ. */
export function page(name: string, faq?: string): LinkProps {
  return { url: `https://seeufer.example.com/${name}`, faq };
}
