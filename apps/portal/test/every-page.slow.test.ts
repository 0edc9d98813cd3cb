import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { siteFolder } from '../config/folders.ts';
import routes from '../config/routes.json' with { type: 'json' };
import { siteForSuite, withoutBrowser } from './site.ts';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];
/** Rules that depend on colors. Everything else is the same in both themes. */
const colourRules = ['color-contrast', 'link-in-text-block'];

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const tags = readdirSync(join(siteFolder, 'apis'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `/apis/${name}`);
const operations = tags.flatMap((tag) =>
  readdirSync(join(siteFolder, tag), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${tag}/${name}`),
);
/** They are pages of one kind. */
const someOperations = operations.filter((_, index) => index % volume(50, 1) === 0);
const olderPages = ['/docs/0.64/intro', '/docs/0.64/downstream-integrations/sdk/'];
/** Missing URLs, and the page that is shown for them. */
const missing = ['/nowhere', '/404.html'];
/** One page of each kind, with every component that pages use. */
const kinds = [
  '/',
  '/markdown-page',
  '/search',
  '/docs/intro',
  '/help-docs/map',
  '/dao/governance/contracts',
  '/blog',
  '/blog/welcome',
  '/blog/tags/api',
  '/apis/',
  '/apis/access-control',
  '/apis/access-control/checkRoles',
];
const every = [...routes.map(({ path }) => path), ...tags, ...someOperations, ...olderPages].filter(
  (path) => !missing.includes(path),
);
const paths = [...new Set([...kinds, ...every])];
/** The pages that are checked closely: one of each kind, or all. */
const closely = paths.slice(0, volume(kinds.length, paths.length));
/** The pages that are opened from another one: every fourth, or all. */
const fromAnother = paths.filter((_, index) => index % volume(4, 1) === 0);
/** In dark mode, all rules in the deep run; otherwise those about colors, since nothing else differs there. */
const darkRules: RunOptions['runOnly'] =
  closely.length === paths.length ? { type: 'tag', values: standards } : { type: 'rule', values: colourRules };

async function violationsOf(page: Page, runOnly: RunOptions['runOnly']): Promise<string[]> {
  const violations = await page.evaluate(async (chosen) => {
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return (await axe.run({ runOnly: chosen, resultTypes: ['violations'], preload: false })).violations;
  }, runOnly);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Waits for what a reader would see: final colors, and content below the fold in its place. */
function settleStyles(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important; content-visibility: visible !important; }');
  document.adoptedStyleSheets.push(sheet);
}

/** Navigates to another page like a link does, and returns whether it exists. */
function goTo(path: string): boolean {
  if (location.pathname !== path) {
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
  }
  const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href;
  return new URL(canonical).pathname === path && document.querySelector('h1') !== null;
}

describe('every page', { skip: withoutBrowser }, () => {
  const site = siteForSuite();

  test('of each kind that is checked closely is one of the site', () => {
    assert.deepEqual(
      kinds.filter((path) => !every.includes(path) && !operations.includes(path)),
      [],
    );
  });

  test('is accessible in both themes, without errors or requests to other hosts', async () => {
    assert.deepEqual(await check(closely), []);
  });

  test('is accessible even if it is missing, and only the page itself fails to load', async () => {
    const refusal = 'console: Failed to load resource: the server responded with a status of 404 (Not Found)';
    assert.deepEqual(
      await check(missing),
      // The address of a page has no ending.
      missing.map((path) => `${path} ${refusal} ${site.url}${path.replace(/\.html$/, '')}`),
    );
  });

  async function check(waiting: Iterable<string>): Promise<string[]> {
    const problems: string[] = [];
    await using opened = await site.visit('/markdown-page', {
      prepare: async (page) => {
        await page.addInitScript({ path: axeFile });
        await page.addInitScript(settleStyles);
      },
    });
    const { page, faults } = opened;
    for (const path of waiting) {
      await page.goto(`${site.url}${path}`);
      await page.locator('html[data-has-hydrated=true]').waitFor();
      const light = await violationsOf(page, { type: 'tag', values: standards });
      await page.locator('html').evaluate((html) => html.setAttribute('data-theme', 'dark'));
      const dark = await violationsOf(page, darkRules);
      problems.push(...[...light, ...dark.map((text) => `dark ${text}`)].map((text) => `${path} ${text}`));
      problems.push(...faults.splice(0).map((text) => `${path} ${text}`));
    }
    return problems;
  }

  test('opens from another page without errors or requests to other hosts', async () => {
    await using visited = await site.visit('/docs/intro');
    const { page, faults } = visited;
    const problems: string[] = [];
    await page.evaluate(() => {
      document.body.setAttribute('data-loaded', 'once');
      // They are not viewed, so they need no layout.
      document.body.hidden = true;
    });
    for (const path of fromAnother) {
      await page.waitForFunction(goTo, path);
      problems.push(...faults.splice(0).map((text) => `${path} ${text}`));
    }
    assert.equal(await page.locator('body').getAttribute('data-loaded'), 'once');
    assert.deepEqual(problems, []);
  });

  for (const path of [
    '/',
    '/docs/intro',
    '/blog',
    '/blog/welcome',
    '/blog/tags/api',
    '/blog/archive',
    '/apis/',
    '/apis/access-control',
    '/search?q=wallet',
    '/nowhere',
    '/help-docs/map',
    '/help-docs/command-center/bot-config/balance-check',
    '/markdown-page',
  ])
    test(`${path} fits a screen of 360 pixels`, async () => {
      await using opened = await site.visit(path, { viewport: { width: 360, height: 740 }, expectsRefusals: true });
      const { page } = opened;
      await page.waitForLoadState('networkidle');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    });
});
