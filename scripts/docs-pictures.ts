/** Writes the picture of a review in the README: what the command says, shown by a browser as a code host shows it. */
import { writeFile } from "node:fs/promises";
import { inBrowser, photographed } from "./pictures/browser.js";
import { pageOf } from "./pictures/page.js";
import { reviewText } from "./pictures/review-text.js";

const file = "docs/images/review.png";
const html = pageOf(await reviewText());
const picture = await inBrowser((browser) => photographed(browser, html, 880));
await writeFile(file, picture);
console.log(`Wrote ${file}, ${Math.ceil(picture.length / 1000)} kB.`);
