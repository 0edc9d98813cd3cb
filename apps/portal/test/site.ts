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
  /** What the host of the site chose. */
  settings?: Partial<Settings>;
  /** Requests that are held, answered or refused, by their address. */
  routes?: Record<string, (route: Route) => unknown>;
  /** What the session of the tab has already. */
  session?: Record<string, string>;
  /** Listens to what the page does. */
  listen?(page: Page): void;
  /**
   * What else is done before the first request, to a page that is not shared: scripts that are changed stay in its
   * memory, scripts that run first and clocks stay as well.
   */
  prepare?(page: Page): Promise<unknown>;
  /** Whether the page comes to life. */
  startsUp?: boolean;
  /** Whether what links lead to is fetched ahead: hundreds of requests, which most tests are not about. */
  fetchesAhead?: boolean;
}

export interface SiteInBrowser {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a page of the site, as a reader who was never there, and waits until it can be used. */
  visit(path: string, options?: Visit): Promise<WatchedPage>;
}

const viewport = { width: 1280, height: 720 };

/** What the suites of this process share: browsers keep the scripts of a site that they know. */
const opened: { site?: OpenSite; browser?: Browser } = {};
/** Pages that are not in use. Opening another one takes three times as much work. */
const idle: Page[] = [];

// Belongs to no suite, and so ends with the whole run.
after(async () => {
  await opened.browser?.close();
  await opened.site?.close();
});

/** The site for all tests of a suite, and a browser for those that are skipped `withoutBrowser`. */
export function siteForSuite(): SiteInBrowser {
  const known = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The site is there for tests, not for the suite around them.');
    return value;
  };
  before(async () => {
    opened.site ??= await openSite();
    if (withoutBrowser === false) opened.browser ??= await openBrowser();
  });

  /** A page that was used before and will be again: only what `forget` takes back may be done to it. */
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

/** Runs in the page, before anything else there. */
function saveData(): void {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } });
}

/** Leaves nothing of a test in a page but what its browser may have in its cache. */
async function forget(page: Page, url: string): Promise<void> {
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

/** To where the storage of the site can be seen, but nothing of the site reads or writes it. */
async function goWhereNoScriptIs(page: Page, url: string): Promise<void> {
  const address = new URL('/empty', url).href;
  // Without an icon of its own, browsers would ask the site for one and complain when they get none.
  const body = '<link rel="icon" href="data:,">';
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(address);
  await page.unroute(address);
}
