/** Writes the README pictures that need a browser: a review on a code host, and a report page. */
import { writeFile } from "node:fs/promises";
import { readOptions } from "./options.js";
import { captureArticle, captureReportPage, useBrowser } from "./pictures/browser.js";
import { renderPage } from "./pictures/page.js";
import { renderReport } from "./pictures/report-page.js";
import { renderReview } from "./pictures/review-text.js";

readOptions("npm run docs:pictures", {});
const [review, report] = await Promise.all([renderReview(), renderReport()]);
const pictures = await useBrowser(async (browser) => ({
  "docs/images/review.png": await captureArticle(browser, renderPage(review), 880),
  "docs/images/sessions.png": await captureReportPage(browser, report),
}));
for (const [file, picture] of Object.entries(pictures)) {
  await writeFile(file, picture);
  console.log(`Wrote ${file}, ${Math.ceil(picture.length / 1000)} kB.`);
}
