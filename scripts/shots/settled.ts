import type { Page } from 'playwright-core';

/** How long a screen may take until nothing on it is loading. */
const patienceMs = 4 * 60_000;

/** A live stream stays open, so the network is never idle: what counts is that nothing shows a loading state. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ timeout: patienceMs });
  await page
    .getByText(/^Loading .* …$/)
    .first()
    .waitFor({ state: 'hidden', timeout: patienceMs });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

const leastHeight = 900;

/** Makes the window as high as its content, so that the menu is beside all of it. */
export async function standsWhole(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: leastHeight });
  // The page may arrange itself anew for the width after its first frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > leastHeight) await page.setViewportSize({ width, height });
}
