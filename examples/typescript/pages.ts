import type { LinkProps } from "avatarops";

/** A page of the shop, and what it answers. */
export function page(name: string, faq?: string): LinkProps {
  return { url: `https://seeufer.example.com/${name}`, faq };
}
