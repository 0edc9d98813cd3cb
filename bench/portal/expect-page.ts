import { openBrowser } from '@latchkey/console/testing';
import { expectBaseline } from '../baseline.ts';

export interface Sight {
  words: number;
  scripts: number;
  styles: number;
  isStarted: boolean;
}

/** How much of the text of the other page a page must have. */
const leastShare = 0.5;

/** Returns what a browser shows of a page once its scripts have run. */
export async function lookAt(url: string): Promise<Sight> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const answer = await page.goto(url, { waitUntil: 'networkidle' });
    expectBaseline(answer?.ok() === true, `${url} came to ${answer?.status()}.`);
    return await page.evaluate(() => ({
      words: document.body.innerText.split(/\s+/).filter(Boolean).length,
      scripts: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
      styles: [...document.styleSheets].reduce((sum, { cssRules }) => sum + cssRules.length, 0),
      // Both are Docusaurus, which sets this when its scripts have taken over the page.
      isStarted: document.documentElement.dataset.hasHydrated === 'true',
    }));
  } finally {
    await browser.close();
  }
}

/** Fails unless a page shows about as much text as the other, with its styles, and its scripts have started. */
export function expectSight(name: string, theirs: Sight, ours: Sight): void {
  expectBaseline(theirs.isStarted && theirs.scripts > 0, `The scripts of ${name} did not start.`);
  expectBaseline(theirs.styles > 0, `${name} has no styles.`);
  expectBaseline(
    theirs.words >= leastShare * ours.words,
    `${name} shows ${theirs.words} words, and the page it is compared with ${ours.words}.`,
  );
}
