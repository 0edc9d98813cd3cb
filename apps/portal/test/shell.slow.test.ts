import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { footer } from '../config/footer.ts';
import config from '../docusaurus.config.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

const narrow = { viewport: { width: 390, height: 800 } };
const bar = (page: Page) => page.getByRole('region', { name: 'Announcement' });
const themeOf = (page: Page) => page.locator('html').getAttribute('data-theme');
const isUsable = (page: Page) => page.locator('html[data-has-hydrated=true]').waitFor();

describe('the shell of the site', { skip: withoutBrowser }, () => {
  const site = siteForSuite();

  test('has seven sections at the top, and marks the current one', async () => {
    await using opened = await site.visit('/docs/tutorials/');
    const { page, faults } = opened;
    const items = await page.locator('.theme-layout-navbar a.navbar__item').all();
    const shown = await Promise.all(
      items.map(async (item) => [await item.innerText(), await item.getAttribute('href')]),
    );
    assert.deepEqual(shown, [
      ['Developers', '/docs/intro'],
      ['API', '/apis/'],
      ['Members & Admins', '/help-docs/intro'],
      ['Operators', '/operators/intro'],
      ['DAO', '/dao/governance/gov-overview'],
      ['Blog', '/blog'],
      ['Telefrens', '/telefrens/intro'],
    ]);
    const active = page.locator('.theme-layout-navbar .navbar__link--active');
    assert.deepEqual(await active.allInnerTexts(), ['Developers']);
    for (const name of ['Members & Admins', 'Operators', 'DAO', 'Blog', 'Telefrens']) {
      await page.locator('.theme-layout-navbar').getByRole('link', { name, exact: true }).click();
      await page.locator('.navbar__link--active', { hasText: name }).waitFor();
      assert.deepEqual(await active.allInnerTexts(), [name]);
    }
    assert.deepEqual(faults, []);
  });

  test('has a menu of the same seven on a narrow screen, behind that of the current docs', async () => {
    await using opened = await site.visit('/docs/intro', narrow);
    const { page, faults } = opened;
    assert.equal(await page.locator('.navbar').getByRole('link', { name: 'Telefrens' }).isVisible(), false);
    await page.getByRole('button', { name: 'Toggle navigation bar' }).click();
    const side = page.locator('.navbar-sidebar');
    await side.getByRole('link', { name: 'Tutorials' }).waitFor();
    await side.getByRole('button', { name: 'Back to main menu' }).click();
    await side.getByRole('link', { name: 'Telefrens' }).waitFor();
    assert.deepEqual(await side.locator('.navbar-sidebar__item').first().getByRole('link').allInnerTexts(), [
      'Developers',
      'API',
      'Members & Admins',
      'Operators',
      'DAO',
      'Blog',
      'Telefrens',
    ]);
    await side.getByRole('link', { name: 'Telefrens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Telefrens' }).waitFor();
    assert.equal(await page.locator('.navbar-sidebar--show').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('is light whatever the system prefers, and keeps the other choice', async () => {
    await using opened = await site.visit('/docs/intro', { colorScheme: 'dark' });
    const { page, faults } = opened;
    assert.equal(await themeOf(page), 'light');
    await page.getByRole('button', { name: /Switch between dark and light mode/ }).click();
    assert.equal(await themeOf(page), 'dark');
    await page.reload();
    assert.equal(await themeOf(page), 'dark');
    await page.goto(`${site.url}/blog`);
    assert.equal(await themeOf(page), 'dark');
    assert.deepEqual(faults, []);
  });

  test('shows screens in the theme of the reader, and loads no other picture of them', async () => {
    await using opened = await site.visit('/markdown-page');
    const { page, faults } = opened;
    const shown = page.getByRole('img', { name: /^Home in the console/ });
    const widthIn = (theme: string) =>
      page
        .locator(`main img[data-shown-in=${theme}]`)
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth);
    const look = () =>
      shown.evaluate(async (image: HTMLImageElement) => {
        image.scrollIntoView();
        await image.decode();
        return image.dataset.shownIn;
      });
    assert.equal(await look(), 'light');
    assert.ok((await widthIn('light')) > 1_000);
    assert.equal(await widthIn('dark'), 0, 'it is invisible');
    await page.getByRole('button', { name: /Switch between dark and light mode/ }).click();
    assert.equal(await look(), 'dark');
    assert.ok((await widthIn('dark')) > 1_000);
    assert.deepEqual(faults, []);
  });

  test('lets a keyboard skip to the content first of all', async () => {
    await using opened = await site.visit('/docs/intro');
    const { page } = opened;
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    assert.equal(await focused.innerText(), 'Skip to main content');
    assert.equal(await focused.evaluate((link) => link.getBoundingClientRect().top >= 0), true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.closest('nav[aria-label=Main]') === null), true);
  });

  test('shows an announcement until it is closed, and again as soon as there is another one', async () => {
    await using opened = await site.visit('/docs/intro');
    const { page, faults } = opened;
    await bar(page).getByRole('button', { name: 'Close' }).click();
    await bar(page).waitFor({ state: 'hidden' });
    await page.reload();
    await isUsable(page);
    assert.equal(await bar(page).isVisible(), false);
    await page.evaluate(() => localStorage.setItem('docusaurus.announcement.id', 'an-older-one'));
    await page.reload();
    await isUsable(page);
    assert.equal(await bar(page).isVisible(), true);
    assert.deepEqual(faults, []);
  });

  test('hides its top bar when scrolling down, and shows it when scrolling up', async () => {
    await using opened = await site.visit('/docs/intro');
    const { page } = opened;
    const isInside = () => page.locator('nav.navbar').evaluate((nav) => nav.getBoundingClientRect().bottom > 0);
    const becomes = (isWanted: boolean) =>
      page.waitForFunction((wanted) => {
        const nav = document.querySelector('nav.navbar');
        return nav !== null && nav.getBoundingClientRect().bottom > 1 === wanted;
      }, isWanted);
    // The bar reacts to the difference of two positions, so the page has to have been at both.
    const scrollTo = async (top: number) => {
      await page.mouse.wheel(0, top - (await page.evaluate(() => scrollY)));
      await page.waitForFunction((wanted) => scrollY === wanted, top);
    };
    assert.equal(await isInside(), true);
    await page.mouse.move(600, 400);
    await scrollTo(500);
    await scrollTo(1000);
    await becomes(false);
    await scrollTo(800);
    await becomes(true);
  });

  test('ends with its three groups of links, including one to support tickets', async () => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    const end = page.getByRole('contentinfo');
    assert.deepEqual(await end.locator('.footer__title').allInnerTexts(), ['Docs', 'Community', 'More']);
    const links = footer?.links?.flatMap((group) => ('items' in group ? group.items : [])) ?? [];
    for (const { label = '', to = '' } of links as { label?: string; to?: string }[])
      assert.equal(await end.getByRole('link', { name: label, exact: true }).getAttribute('href'), to);
    assert.match(await end.innerText(), /Copyright © 2023/);
    await end.getByRole('link', { name: 'Support ticket' }).click();
    await page.waitForURL('**/help-docs/FAQ/contact-team');
    assert.deepEqual(faults, []);
  });

  test('lists headings of the second and third level beside a page, and none below', async () => {
    await using opened = await site.visit('/dao/governance/mission', { viewport: { width: 1400, height: 900 } });
    const { page } = opened;
    // Every nested list is one level deeper.
    const listed = await page.locator('.theme-doc-toc-desktop a').evaluateAll((links) =>
      links.map((link) => {
        let level = 1;
        for (let list = link.closest('ul'); list !== null; list = list.parentElement?.closest('ul') ?? null) level += 1;
        return `H${level} ${link.getAttribute('href')}`;
      }),
    );
    const headings = await page
      .locator('.markdown')
      .locator('h2[id], h3[id]')
      .evaluateAll((found) => found.map(({ tagName, id }) => `${tagName} #${id}`));
    assert.deepEqual(new Set(headings.map((heading) => heading.slice(0, 2))), new Set(['H2', 'H3']));
    assert.deepEqual(listed, headings);
    // No page has deeper headings, so their handling is only checked in the configuration.
    assert.deepEqual(config.themeConfig.tableOfContents, { minHeadingLevel: 2, maxHeadingLevel: 3 });
  });

  test('keeps its sidebar, and every category in it as the reader left it', async () => {
    await using opened = await site.visit('/docs/intro');
    const { page } = opened;
    const sidebar = page.locator('.theme-doc-sidebar-container');
    assert.equal(await sidebar.getByRole('button', { name: /collapse sidebar/i }).count(), 0);
    const expanded = sidebar.locator('[aria-expanded=true]');
    const collapsed = sidebar.locator('.theme-doc-sidebar-item-category-level-1 > * [aria-expanded=false]');
    const before = await expanded.count();
    await collapsed.first().click();
    await collapsed.first().click();
    assert.equal(await expanded.count(), before + 2);
  });

  test('keeps the chosen version of the docs', async () => {
    await using opened = await site.visit('/docs/downstream-integrations/sdk/');
    const { page, faults } = opened;
    const versions = page.getByRole('navigation', { name: 'Version of these pages' });
    await versions.getByRole('link', { name: '0.64' }).click();
    await page.waitForURL('**/docs/0.64/downstream-integrations/sdk/');
    const kept = () => page.evaluate(() => localStorage.getItem('docs-preferred-version-default'));
    assert.equal(await kept(), '0.64');
    await page.goto(`${site.url}/help-docs/intro`);
    await isUsable(page);
    const way = page.locator('.navbar').getByRole('link', { name: 'Developers' });
    await way.and(page.locator('[href="/docs/0.64/intro"]')).waitFor();
    await way.click();
    await versions.getByRole('link', { name: '0.78' }).click();
    await page.waitForURL('**/docs/intro');
    assert.equal(await kept(), 'current');
    assert.deepEqual(faults, []);
  });

  test('says how long a post takes, and finds posts by tag, by year and by feed', async () => {
    await using opened = await site.visit('/blog');
    const { page, faults } = opened;
    assert.equal(await page.locator('article', { hasText: /\d+ min read/ }).count(), 6);
    const feeds = await page
      .locator('head link[rel=alternate][title*=Feed]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    assert.deepEqual(feeds, ['/blog/rss.xml', '/blog/atom.xml', '/blog/feed.json']);
    await page.goto(`${site.url}/blog/tags`);
    const tags = await page.locator('main a[rel=tag]').all();
    assert.equal(tags.length, 17);
    const counts = await page.locator('main a[rel=tag] span').allInnerTexts();
    assert.equal(counts.length, 17);
    assert.equal(await page.getByRole('link', { name: 'Latchkey 6' }).count(), 1);
    await page.getByRole('link', { name: 'API 3' }).click();
    await page.getByRole('heading', { level: 1, name: 'Posts tagged API' }).waitFor();
    assert.equal(await page.locator('main article').count(), 3);
    await page.goto(`${site.url}/blog/archive`);
    const days = await page
      .locator('main time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')));
    assert.equal(days.length, 6);
    assert.deepEqual(days, days.toSorted().toReversed());
    assert.deepEqual(faults, []);
  });

  test('lists recent posts beside the blog by their year', async () => {
    await using opened = await site.visit('/blog');
    const { page } = opened;
    const posts = await page.locator('main article').evaluateAll((articles) =>
      articles.map((article) => ({
        path: article.querySelector('h2 a')?.getAttribute('href'),
        year: article.querySelector('time')?.dateTime.slice(0, 4),
      })),
    );
    const recent = posts.slice(0, 5);
    const years = [...new Set(recent.map(({ year }) => year))];
    const listed = await page
      .getByRole('navigation', { name: 'Blog recent posts navigation' })
      .getByRole('group')
      .evaluateAll((groups) =>
        groups.map((group) => ({
          year: group.querySelector('h3')?.textContent,
          paths: [...group.querySelectorAll('a')].map((link) => link.getAttribute('href')),
        })),
      );
    const pathsOf = (wanted?: string) => recent.filter(({ year }) => year === wanted).map(({ path }) => path);
    assert.deepEqual(
      listed,
      years.map((year) => ({ year, paths: pathsOf(year) })),
    );
    assert.notEqual(listed.length, 0);
  });

  test('has one address for every page, whatever its file', async () => {
    for (const [request, plain] of [
      ['/docs/intro.html?a=1', '/docs/intro?a=1'],
      ['/help-docs/intro/index.html', '/help-docs/intro'],
      ['/index.html', '/'],
    ] as const) {
      const answer = await fetch(`${site.url}${request}`, { redirect: 'manual' });
      assert.equal(answer.status, 301);
      assert.equal(answer.headers.get('location'), plain);
    }
    // A host that keeps the file extension still shows the page under its plain URL.
    await using opened = await site.visit('/telefrens/intro.html', {
      routes: {
        '**/telefrens/intro.html': async (route) =>
          route.fulfill({ response: await route.fetch({ url: `${site.url}/telefrens/intro` }) }),
      },
    });
    const { page, faults } = opened;
    assert.equal(new URL(page.url()).pathname, '/telefrens/intro');
    await page.getByRole('heading', { level: 1, name: 'Telefrens' }).waitFor();
    assert.deepEqual(faults, []);
  });
});
