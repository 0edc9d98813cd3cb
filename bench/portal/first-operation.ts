import { openBrowser } from '@latchkey/console/testing';
import { servePortal } from '@latchkey/server/portal';

const longestMs = 120_000;
const bytesPerSecond = 1_600_000 / 8;

export interface FirstSight {
  /** When the browser painted it, as the browser reports. */
  paintedMs: number;
  /** When it is visible and the page responds to input. */
  answersMs: number;
}

/** Measures how long a reader with a slow phone waits for the first operation of a reference. */
export async function firstOperation(folder: string, path: string, heading: string): Promise<FirstSight> {
  const site = await servePortal({ folder, host: '127.0.0.1', port: 0 });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
    page.setDefaultTimeout(longestMs);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    await page.addInitScript(watchFor, heading);
    const startedAt = performance.now();
    await page.goto(`${site.url}${path}`, { waitUntil: 'commit' });
    await page.locator(heading).first().waitFor();
    const answersMs = performance.now() - startedAt;
    const mark = await page.waitForFunction(() => performance.getEntriesByName('first-operation')[0]?.startTime);
    return { paintedMs: (await mark.jsonValue()) ?? Number.NaN, answersMs };
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Runs in the page: records when the browser paints a visible heading. */
function watchFor(heading: string): void {
  const name = 'first-operation';
  // Checked before the first paint of parsed content, and again for what scripts replace it with.
  const asking = new MutationObserver(() => {
    document.querySelector(`${heading}:not([elementtiming])`)?.setAttribute('elementtiming', name);
  });
  asking.observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    const [painted] = list.getEntries() as (PerformanceEntry & { renderTime: number })[];
    if (painted === undefined) return;
    asking.disconnect();
    performance.mark(name, { startTime: painted.renderTime });
  }).observe({ type: 'element', buffered: true });
}
