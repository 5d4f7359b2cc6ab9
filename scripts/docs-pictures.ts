/** Writes the README pictures that need a browser: a review on a code host, and a report page. */
import { writeFile } from "node:fs/promises";
import { inBrowser, photographed, photographedPage } from "./pictures/browser.js";
import { pageOf } from "./pictures/page.js";
import { reportPage } from "./pictures/report-page.js";
import { reviewText } from "./pictures/review-text.js";

const [review, report] = await Promise.all([reviewText(), reportPage()]);
const pictures = await inBrowser(async (browser) => ({
  "docs/images/review.png": await photographed(browser, pageOf(review), 880),
  "docs/images/sessions.png": await photographedPage(browser, report),
}));
for (const [file, picture] of Object.entries(pictures)) {
  await writeFile(file, picture);
  console.log(`Wrote ${file}, ${Math.ceil(picture.length / 1000)} kB.`);
}
