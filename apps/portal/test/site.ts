import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { servePortal } from '../../../packages/server/src/portal/serve.ts';
import { openBrowser, openPage, type Watch, type WatchedPage } from '../../console/test/harness/browser.ts';
import { siteFolder } from '../config/folders.ts';
import type { Settings } from '../src/settings.ts';

export interface OpenSite {
  url: string;
  close(): Promise<void>;
}

/** Serves the built site as `npm start` does, without an API behind it. */
export function openSite(folder: string = siteFolder): Promise<OpenSite> {
  return servePortal({ folder, host: '127.0.0.1', port: 0 });
}

export interface Visit extends Watch {
  /** What whoever hosts the site chose. */
  settings?: Partial<Settings>;
  /** What is done before the first request: requests to hold, change or refuse. */
  prepare?(page: Page): Promise<unknown>;
  /** Whether the page comes to life. */
  startsUp?: boolean;
}

export interface SiteInBrowser {
  readonly url: string;
  readonly browser: Browser;
  /** Opens a page of the site, as a reader who was never there, and waits until it can be used. */
  visit(path: string, options?: Visit): Promise<WatchedPage>;
}

/** The site and a browser for all tests of a suite. */
export function siteForSuite(): SiteInBrowser {
  const opened: { site?: OpenSite; browser?: Browser } = {};
  const known = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The site is there for tests, not for the suite around them.');
    return value;
  };
  before(async () => {
    [opened.site, opened.browser] = await Promise.all([openSite(), openBrowser()]);
  });
  after(async () => {
    await opened.browser?.close();
    await opened.site?.close();
  });
  return {
    get url() {
      return known(opened.site).url;
    },
    get browser() {
      return known(opened.browser);
    },
    visit: async (path, { settings, prepare, startsUp = true, ...watch } = {}) => {
      const watched = await openPage(known(opened.browser), watch);
      const { page } = watched;
      if (settings !== undefined) await page.route('**/settings.json', (route) => route.fulfill({ json: settings }));
      await prepare?.(page);
      await page.goto(new URL(path, known(opened.site).url).href);
      if (startsUp) await page.locator('html[data-has-hydrated=true]').waitFor();
      return watched;
    },
  };
}
