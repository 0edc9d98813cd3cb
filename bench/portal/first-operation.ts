import { openBrowser } from '@latchkey/console/testing';
import { servePortal } from '@latchkey/server/portal';

const longestMs = 120_000;
const bytesPerSecond = 1_600_000 / 8;

export interface FirstSight {
  /** When the browser painted it, by its own account. */
  paintedMs: number;
  /** When it is there and the page responds to input. */
  answersMs: number;
}

/** How long a reader with a slow phone waits for the first operation of a reference. */
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

/** Runs in the page: asks the browser when it paints a heading where it can be seen, and remembers it. */
function watchFor(heading: string): void {
  const name = 'first-operation';
  // Asked before the first paint of what was parsed, and again of what scripts put in its place.
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
