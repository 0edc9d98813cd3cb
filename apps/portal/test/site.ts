import { after, before } from 'node:test';
import {
  noteFaults,
  openBrowser,
  openPage,
  type Watch,
  type WatchedPage,
  withoutBrowser,
} from '@latchkey/console/testing';
import { servePortal } from '@latchkey/server/portal';
import type { Browser, Page, Route } from 'playwright-core';
import { siteFolder } from '../config/folders.ts';
import type { Settings } from '../src/settings.ts';

export { withoutBrowser };

export interface OpenSite {
  url: string;
  close(): Promise<void>;
}

/** Serves the built site as `npm start` does, without an API behind it. */
export function openSite(folder: string = siteFolder): Promise<OpenSite> {
  return servePortal({ folder, host: '127.0.0.1', port: 0 });
}

export interface Visit extends Watch {
  /** What the host of the site configured. */
  settings?: Partial<Settings>;
  /** Handlers of requests, by URL. */
  routes?: Record<string, (route: Route) => unknown>;
  /** The initial session storage of the tab. */
  session?: Record<string, string>;
  /** Observes what the page does. */
  listen?(page: Page): void;
  /**
   * Anything else before the first request, on a page that is not shared: changed scripts stay in its cache, and so do init scripts and
   * clocks.
   */
  prepare?(page: Page): Promise<unknown>;
  /** Whether the page's scripts start. */
  startsUp?: boolean;
  /** Whether links are prefetched: hundreds of requests, which most tests do not need. */
  fetchesAhead?: boolean;
}

export interface SiteInBrowser {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a page of the site as a first-time visitor, and waits until it is usable. */
  visit(path: string, options?: Visit): Promise<WatchedPage>;
}

const viewport = { width: 1280, height: 720 };

/** Shared by the suites of this process: browsers cache the scripts of a known site. */
const opened: { site?: OpenSite; browser?: Browser } = {};
/** Idle pages. Opening another one takes three times as much work. */
const idle: Page[] = [];

// Belongs to no suite, so it runs at the end of the whole run.
after(async () => {
  await opened.browser?.close();
  await opened.site?.close();
});

/** The site for all tests of a suite, and a browser for those that are skipped `withoutBrowser`. */
export function siteForSuite(): SiteInBrowser {
  const known = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The site is available in tests, not in the suite around them.');
    return value;
  };
  before(async () => {
    opened.site ??= await openSite();
    if (withoutBrowser === false) opened.browser ??= await openBrowser();
  });

  /** A page that is reused: only what `forget` reverts may be done to it. */
  async function borrowPage({ expectsRefusals = false, ...options }: Watch): Promise<WatchedPage> {
    const page = idle.pop() ?? (await openSavingPage()).page;
    page.removeAllListeners();
    await page.setViewportSize(options.viewport ?? viewport);
    return {
      page,
      faults: noteFaults(page, expectsRefusals),
      [Symbol.asyncDispose]: async () => {
        await forget(page, known(opened.site).url);
        idle.push(page);
      },
    };
  }

  async function openSavingPage(watch?: Watch): Promise<WatchedPage> {
    const watched = await openPage(known(opened.browser), watch);
    await watched.page.addInitScript(saveData);
    return watched;
  }

  return {
    get url() {
      return known(opened.site).url;
    },
    get browser() {
      return known(opened.browser);
    },
    visit: async (path, options = {}) => {
      const {
        settings,
        routes = {},
        session,
        listen,
        prepare,
        startsUp = true,
        fetchesAhead = false,
        ...watch
      } = options;
      const isOrdinary = Object.keys(watch).every((key) => key === 'viewport' || key === 'expectsRefusals');
      const open = fetchesAhead
        ? () => openPage(known(opened.browser), watch)
        : () => (isOrdinary && prepare === undefined ? borrowPage(watch) : openSavingPage(watch));
      const watched = await open();
      const { page } = watched;
      if (settings !== undefined) await page.route('**/settings.json', (route) => route.fulfill({ json: settings }));
      for (const [address, answer] of Object.entries(routes)) await page.route(address, answer);
      if (session !== undefined) await beginSession(page, known(opened.site).url, session);
      listen?.(page);
      await prepare?.(page);
      await page.goto(new URL(path, known(opened.site).url).href);
      if (startsUp) await page.locator('html[data-has-hydrated=true]').waitFor();
      return watched;
    },
  };
}

/** Runs in the page, before anything else. */
function saveData(): void {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } });
}

/** Removes everything that a test left in a page, except for the browser's cache. */
async function forget(page: Page, url: string): Promise<void> {
  await page.emulateMedia({ media: null });
  page.removeAllListeners();
  // A handler may still be fetching what the page no longer needs.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().clearCookies();
  await page.mouse.move(0, 0);
  await goWhereNoScriptIs(page, url);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
}

async function beginSession(page: Page, url: string, session: Record<string, string>): Promise<void> {
  await goWhereNoScriptIs(page, url);
  await page.evaluate((entries) => {
    for (const [key, value] of Object.entries(entries)) sessionStorage.setItem(key, value);
  }, session);
}

/** Navigates to where the storage of the site is accessible, but no script of the site uses it. */
async function goWhereNoScriptIs(page: Page, url: string): Promise<void> {
  const address = new URL('/empty', url).href;
  // Without an icon, browsers would request one from the site and report an error.
  const body = '<link rel="icon" href="data:,">';
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(address);
  await page.unroute(address);
}
