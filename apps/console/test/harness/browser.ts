import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { watchPage } from './last-page.ts';

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The list of Playwright, which another one replaces, and the popups of a hidden bar: two more renderers.
  `--disable-features=${[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
  ]}`,
];
/** Whatever comes, comes on a slow machine as well; a wait in vain ends before the runner's own limit. */
const patienceMs = 4 * 60_000;

const program = findProgram();
/** Why tests of the pages are passed over where there is no Chromium: `describe(…, { skip: withoutBrowser }, …)`. */
export const withoutBrowser: false | string = program === undefined && 'no Chromium';

/** The program of a Chromium: the one the test run names, which may be none, or else the first on the PATH. */
function findProgram(): string | undefined {
  const named = process.env.LATCHKEY_CHROMIUM;
  if (named !== undefined) return named === '' ? undefined : named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

export function browserProgram(): string {
  if (program === undefined)
    throw new Error('The tests of the pages need Chromium. Install it, or name its program in LATCHKEY_CHROMIUM.');
  return program;
}

/** A Chromium of its own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserProgram(), args: flags, headless: true, timeout: patienceMs });
}

export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** What no page may do: log an error, as browsers do for a broken policy, open a dialog, ask another host for anything. */
  faults: string[];
}

export interface Watch extends BrowserContextOptions {
  /** Whether a refusal of the server, which browsers write to the console by themselves, is a part of the test. */
  expectsRefusals?: boolean;
}

/** A page in a context of its own, with nothing of earlier tests, whose faults are noted. */
export async function openPage(
  browser: Browser,
  { expectsRefusals = false, ...options }: Watch = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const keepLastPage = watchPage(page);
  return {
    page,
    faults: noteFaults(page, expectsRefusals),
    [Symbol.asyncDispose]: async () => {
      // A handler may still be fetching what the page no longer needs.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await keepLastPage();
      await context.close();
    },
  };
}

/** Notes the faults of a page from now on. */
export function noteFaults(page: Page, expectsRefusals: boolean): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !(isRefusal && expectsRefusals))
      faults.push(`console: ${message.text()}${isRefusal ? ` ${message.location().url}` : ''}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('dialog', async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    const from = page.url().startsWith('http') ? new URL(page.url()).origin : undefined;
    const { origin, protocol } = new URL(request.url());
    if (from !== undefined && protocol.startsWith('http') && origin !== from && !request.isNavigationRequest())
      faults.push(`request: ${request.url()}`);
  });
  return faults;
}
