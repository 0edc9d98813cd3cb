import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The program of a Chromium: the one the test run names, or else the first on the PATH. */
export function browserProgram(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const program = process.env.LATCHKEY_CHROMIUM ?? onPath.find((path) => existsSync(path));
  if (program === undefined)
    throw new Error('The tests of the pages need Chromium. Install it, or name its program in LATCHKEY_CHROMIUM.');
  return program;
}

/** A Chromium of its own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserProgram(), args: flags, headless: true });
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
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !(isRefusal && expectsRefusals))
      faults.push(`console: ${message.text()}`);
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
  return {
    page,
    faults,
    [Symbol.asyncDispose]: async () => {
      // A handler may still be fetching what the page no longer needs.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}
