import type { Page } from 'playwright-core';

/** How long a screen may take until nothing on it loads any more. */
const patienceMs = 4 * 60_000;

/** A live stream stays open, so that the network is never idle: what counts is that nothing says that it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ timeout: patienceMs });
  await page
    .getByText(/^Loading .* …$/)
    .first()
    .waitFor({ state: 'hidden', timeout: patienceMs });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

const leastHeight = 900;

/** Makes the window as high as what it shows, so that the menu stands beside all of it. */
export async function standsWhole(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: leastHeight });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > leastHeight) await page.setViewportSize({ width, height });
}
