import { openBrowser } from '../../apps/console/test/harness/browser.ts';
import { servePortal } from '../../packages/server/src/portal/serve.ts';

const longestMs = 120_000;
const bytesPerSecond = 1_600_000 / 8;

/** How long a reader with a slow phone waits until the first operation of the reference can be seen. */
export async function firstOperation(folder: string, path: string, selector: string): Promise<number> {
  const site = await servePortal({ folder, host: '127.0.0.1', port: 0 });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    await page.addInitScript((wanted) => {
      const look = () => {
        const found = document.querySelector(wanted);
        // The frame after the one in which it had a box shows it.
        if (found !== null && found.getClientRects().length > 0)
          requestAnimationFrame(() => performance.mark('first-operation'));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, selector);
    await page.goto(`${site.url}${path}`, { waitUntil: 'commit', timeout: longestMs });
    const mark = await page.waitForFunction(
      () => performance.getEntriesByName('first-operation')[0]?.startTime,
      undefined,
      {
        timeout: longestMs,
      },
    );
    return (await mark.jsonValue()) ?? Number.NaN;
  } finally {
    await browser.close();
    await site.close();
  }
}
