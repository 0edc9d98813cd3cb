import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import type { Locator, Page } from 'playwright-core';
import { siteForSuite, type Visit, withoutBrowser } from './site.ts';

/** A text by its letters only, independent of layout. */
/** Without what differs between a quote and the page: spaces, ellipses, and the numbers of lists. */
const bare = (text: string | null) => (text ?? '').replace(/[\s…]|\d+\./g, '');

describe('the widget that answers questions', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  const buttonOf = (page: Page) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Ask', exact: true });
  const panelOf = (page: Page) => page.getByRole('dialog', { name: 'Ask the documentation' });

  const visit = (options?: Visit) => site.visit('/help-docs/intro', options);

  async function ask(page: Page, question: string): Promise<void> {
    await panelOf(page).getByRole('textbox').fill(question);
    await page.keyboard.press('Enter');
  }

  test('quotes the documentation and says where the quote is from', async () => {
    await using opened = await visit();
    const { page, faults } = opened;
    await buttonOf(page).click();
    await panelOf(page).getByRole('textbox').and(page.locator(':focus')).waitFor();
    await ask(page, 'How often are balances checked again?');
    const source = panelOf(page).getByRole('link').first();
    await source.waitFor();
    const href = (await source.getAttribute('href')) ?? '';
    assert.match(href, /^\/help-docs\/command-center\/bot-config\/balance-check/);
    const quote = bare(await panelOf(page).getByRole('blockquote').first().textContent()).slice(0, 60);
    assert.equal(quote.length, 60);
    await source.click();
    await page.waitForURL(`**${href}`);
    await page.locator('main h1', { hasText: 'Balance' }).waitFor();
    const content = bare(await page.locator('main').textContent());
    assert.ok(content.includes(quote), `The page does not contain: ${quote}`);
    assert.equal(await panelOf(page).isVisible(), true);
    await panelOf(page).getByRole('textbox').focus();
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'hidden' });
    assert.equal(await buttonOf(page).evaluate((button) => button === document.activeElement), true);
    assert.deepEqual(faults, []);
  });

  for (const [width, height] of [
    [390, 800],
    [1440, 900],
  ] as const)
    test(`stays in the navigation bar at ${width} px, beside its other buttons`, async () => {
      await using opened = await visit({ viewport: { width, height } });
      const { page } = opened;
      await buttonOf(page).waitFor();
      const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const bar = await boxOf(page.locator('.navbar'));
      const ask = await boxOf(buttonOf(page));
      const search = await boxOf(page.locator('.navbar').getByRole('button', { name: 'Search', exact: false }).first());
      const title = await boxOf(page.locator('.navbar__title').first());
      assert.ok(ask.y >= bar.y && ask.y + ask.height <= bar.y + bar.height);
      assert.ok(ask.width >= 24 && ask.height >= 24);
      assert.ok(
        title.x + title.width <= ask.x && ask.x + ask.width <= search.x,
        JSON.stringify({ title, ask, search }),
      );
      assert.ok(search.x + search.width <= width);
    });

  test('covers no text of the page on a phone, at its top, in its middle and at its end', async () => {
    await using opened = await visit({ viewport: { width: 390, height: 800 } });
    const { page } = opened;
    await buttonOf(page).waitFor();
    for (const part of [0, 0.5, 1]) {
      await page.evaluate((share) => {
        const { scrollHeight } = document.documentElement;
        window.scrollTo({ top: scrollHeight * share, behavior: 'instant' });
      }, part);
      assert.deepEqual(await page.evaluate(fixedOverText), [], `scrolled to ${part}`);
    }
  });

  test('says so when the documentation has no answer', async () => {
    await using opened = await visit();
    const { page } = opened;
    await buttonOf(page).click();
    for (const [question, words] of [
      ['How high is Kilimanjaro?', 'Not covered. No page mentions “Kilimanjaro”.'],
      ['Can I link a Cardano wallet?', 'No. No page mentions “Cardano”.'],
    ] as const) {
      await ask(page, question);
      await panelOf(page).getByText(words).waitFor();
      assert.equal(await panelOf(page).getByRole('blockquote').count(), 0);
    }
  });

  test('shows the tables of a section once, as tables', async () => {
    await using opened = await visit();
    const { page } = opened;
    await buttonOf(page).click();
    await ask(page, 'How often are balances of members checked again?');
    await panelOf(page)
      .locator('a[href="/help-docs/command-center/bot-config/balance-check#when-members-are-checked"]')
      .waitFor();
    const cells = await panelOf(page).locator('li').first().locator('td').allTextContents();
    assert.ok(cells.length > 0);
    const quote = bare((await panelOf(page).locator('li').first().getByRole('blockquote').allTextContents()).join(' '));
    for (const cell of cells.filter((text) => text.length > 20)) assert.ok(!quote.includes(bare(cell)), cell);
  });

  test('answers from the settings of the server', async () => {
    await using opened = await visit({
      settings: { apiUrl: 'https://api.test', setUp: { telegram: false, solana: true } },
      routes: {
        'https://api.test/evm/network-configs': (route) =>
          route.fulfill({
            headers: { 'access-control-allow-origin': '*' },
            json: [
              { chainId: 1, description: 'Ethereum', names: ['mainnet'], hidden: false },
              { chainId: 137, description: 'Polygon', names: ['polygon'], hidden: true },
            ],
          }),
      },
    });
    const { page } = opened;
    await buttonOf(page).click();
    for (const [question, words] of [
      ['Which chains does this server read?', 'This server reads Ethereum, Solana.'],
      ['Does this server read Polygon?', 'This server does not read Polygon.'],
      ['Is Telegram set up here?', 'This server has no Telegram bot.'],
    ] as const) {
      await ask(page, question);
      await panelOf(page).getByText(words).waitFor();
    }
  });

  test('leaves the page unchanged when its code cannot be loaded', async () => {
    let refused = 0;
    await using broken = await visit({
      expectsRefusals: true,
      routes: {
        '**/*.js': async (route) => {
          const response = await route.fetch();
          if (!(await response.text()).includes('Ask the documentation')) return route.fulfill({ response });
          refused += 1;
          return route.abort();
        },
      },
    });
    await until('the widget was requested', () => refused > 0);
    assert.equal(await buttonOf(broken.page).count(), 0);
    await broken.page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(broken.faults, []);
  });

  test('says so when there is nothing to answer from, and answers when there is again', async () => {
    await using opened = await visit({
      expectsRefusals: true,
      routes: { '**/search-index.json': (route) => route.abort() },
    });
    const { page, faults } = opened;
    await buttonOf(page).click();
    await ask(page, 'verify my wallet');
    await panelOf(page).getByText('The documentation could not be fetched.').waitFor();
    await page.unroute('**/search-index.json');
    await ask(page, 'verify my wallet again');
    await panelOf(page).getByRole('blockquote').first().waitFor();
    assert.deepEqual(faults, []);
  });

  for (const [name, src, isLoaded] of [
    ['gives way to another widget of the same site', '/js/other.js', true],
    ['loads no widget from another host', 'https://elsewhere.test/other.js', false],
  ] as const)
    test(name, async () => {
      const requests: string[] = [];
      await using opened = await visit({
        settings: { ask: { kind: 'script', src } },
        routes: {
          '**/other.js': (route) => {
            requests.push(route.request().url());
            return route.fulfill({ contentType: 'text/javascript', body: 'document.body.dataset.other = "here"' });
          },
        },
      });
      await opened.page.waitForLoadState('networkidle');
      const { page, faults } = opened;
      if (isLoaded) await page.locator('body[data-other=here]').waitFor();
      assert.equal(requests.length, isLoaded ? 1 : 0);
      assert.equal(await buttonOf(page).count(), 0);
      assert.deepEqual(faults, []);
    });
});

/** The fixed elements that lie over text of the main part below the navigation bar; runs in the page. */
function fixedOverText(): string[] {
  const bar = document.querySelector('.navbar')?.getBoundingClientRect().bottom ?? 0;
  const fixed = [...document.body.querySelectorAll<HTMLElement>('*')].filter((element) => {
    const { position, visibility } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    return position === 'fixed' && visibility === 'visible' && width > 0 && height > 0 && !element.closest('.navbar');
  });
  const main = document.querySelector('main');
  if (main === null) return ['The page has no main part.'];
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const covered = new Set<string>();
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const text of range.getClientRects())
      for (const element of fixed) {
        if (element.contains(node)) continue;
        const box = element.getBoundingClientRect();
        const isBeside = box.right <= text.left || box.left >= text.right;
        if (text.width > 0 && text.top >= bar && !isBeside && box.bottom > text.top && box.top < text.bottom)
          covered.add(element.outerHTML.slice(0, 120));
      }
  }
  return [...covered];
}
