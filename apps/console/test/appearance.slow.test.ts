import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { PageData } from '@latchkey/kernel';
import { localeCookie, pseudoLocale } from '@latchkey/kernel/messages';
import { volume } from '@latchkey/test-kit';
import type { Browser, Page } from 'playwright-core';
import { findViolations } from './harness/axe.ts';
import { openBrowser, openPage, withoutBrowser } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import { fits, movingParts } from './harness/look-at.ts';
import { findOverflow, findPlainText } from './harness/look-at-language.ts';
import { type PageServer, samplePasskeys, sampleWallets, startPageServer } from './harness/page-server.ts';
import { samplePages, samplePicture } from './harness/sample-pages.ts';
import { turns } from './harness/turns.ts';

/** Each theme and each width at least once. */
const looks = (
  [
    ['light', 360],
    ['dark', 1280],
    ['light', 1280],
    ['dark', 360],
  ] as const
).slice(0, volume(2, 4));

/** Opens all that is folded. Some roles are open at first. */
async function openAll(page: Page): Promise<void> {
  const closed = page.locator('details:not([open]) > summary');
  while ((await closed.count()) > 0) await closed.first().click();
}

describe('every page', { skip: withoutBrowser }, () => {
  let server: PageServer;
  let browser: Browser;
  before(async () => {
    server = await startPageServer();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** Shows a page to a browser with one Ethereum wallet, and waits for all that comes after the first picture. */
  async function show(page: Page, data: PageData): Promise<void> {
    await page.goto(server.show(data));
    await page.locator('h1').waitFor();
    if (data.page === 'connect') {
      for (const { address } of sampleWallets)
        await page.getByRole('button', { name: `Unlink ${address}`, exact: true }).waitFor();
      for (const { name } of samplePasskeys)
        await page.getByRole('button', { name: `Delete ${name}`, exact: true }).waitFor();
      await page.getByText('My tokens are in a Safe or a DSProxy').waitFor();
    }
    if (data.page === 'join') {
      await page.getByText('Not yet', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: `Unlink ${sampleWallets[0]?.address}`, exact: true }).waitFor();
    }
    if (data.page === 'login') await page.getByText('Ethereum wallet', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await openAll(page);
  }

  for (const [name, data] of Object.entries(samplePages)) {
    turns.test(`is accessible, in light and dark, on a phone and on a desk: ${name}`, async () => {
      // The checker runs in the page, whose policy lets nothing in that was not served with it.
      await using opened = await openPage(browser, { bypassCSP: true });
      const { page, faults } = opened;
      await giveEvmWallet(page);
      await show(page, data);
      for (const [colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await findViolations(page), [], `${colorScheme}, ${width} wide`);
        const [needed = 0, given = 0] = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return [scrollWidth, clientWidth];
        });
        assert.ok(needed <= given, `${needed} does not fit into ${given}`);
      }
      // What is left of a window of 1280 pixels at a zoom of 200 %, and a large window.
      for (const width of [640, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok(await fits(page), `does not fit into ${width}`);
      }
      await page.emulateMedia({ reducedMotion: 'reduce' });
      assert.deepEqual(await movingParts(page), []);
      assert.deepEqual(faults, []);
    });
  }

  /** A page in another language: the cookie is what the choice in the footer writes. */
  async function showIn(page: Page, locale: string, data: PageData): Promise<void> {
    await page.context().addCookies([{ name: localeCookie, value: locale, url: server.url }]);
    await giveEvmWallet(page);
    await page.goto(server.show(data));
    await page.locator('h1').waitFor();
    if (data.page === 'connect') {
      await page.locator('.rows button').nth(3).waitFor();
      await page.locator('progress').waitFor();
    }
    if (data.page === 'join') await page.locator('.rows button').nth(1).waitFor();
    await page.waitForLoadState('networkidle');
    await openAll(page);
  }

  for (const [name, data] of Object.entries(samplePages)) {
    if (name === 'notice') continue;
    turns.test(`says nothing that is not in a catalogue, and fits when it is 40 % longer: ${name}`, async () => {
      await using opened = await openPage(browser, { viewport: { width: 390, height: 800 } });
      const { page, faults } = opened;
      await showIn(page, pseudoLocale, data);
      assert.deepEqual(await findPlainText(page), []);
      if (data.page === 'connect') {
        await page.locator('.rows button').first().click();
        assert.deepEqual(await findPlainText(page), [], 'in a dialog');
        await page.keyboard.press('Escape');
      }
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await findOverflow(page), [], `${width} wide`);
      }
      assert.deepEqual(faults, []);
    });
  }

  turns.test('is in Arabic from right to left, accessible, and fits on a phone and on a desk', async () => {
    for (const data of [samplePages.connect, samplePages.join, samplePages.login, samplePages.consent]) {
      await using opened = await openPage(browser, { bypassCSP: true });
      const { page, faults } = opened;
      await showIn(page, 'ar', data);
      const root = page.locator('html');
      assert.deepEqual([await root.getAttribute('lang'), await root.getAttribute('dir')], ['ar', 'rtl']);
      for (const [colorScheme, width] of [['light', 390] as const, ['dark', 1440] as const]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await findViolations(page), [], `${data.page}, ${width} wide`);
        assert.deepEqual(await findOverflow(page), [], `${data.page}, ${width} wide`);
      }
      assert.deepEqual(faults, [], data.page);
    }
  });

  turns.test('keeps the language that its reader chooses, and loads no other', async () => {
    await using opened = await openPage(browser, { locale: 'de-DE' });
    const { page, faults } = opened;
    await page.goto(server.show(samplePages.login));
    await page.getByRole('heading', { name: 'Bei Cat Café anmelden' }).waitFor();
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(new URL(request.url()).pathname));
    await page.getByLabel('Sprache').selectOption({ label: '日本語' });
    await page.getByRole('heading', { name: 'Cat Café にログイン' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'ja');
    const loaded = requested.filter((path) => /\/(?:[a-z]{2}|[a-z]{2}-[A-Z]{2})-[\w-]{8}\.js$/.test(path));
    assert.deepEqual([...new Set(loaded.map((path) => path.split('/').at(-1)?.slice(0, 2)))], ['ja']);
    await page.goto(server.show(samplePages.logout));
    await page.getByRole('heading', { name: 'ログアウトしますか？' }).waitFor();
    assert.deepEqual(faults, []);
  });

  turns.test('reaches all it offers by the keyboard, with the focus to be seen', async () => {
    await using opened = await openPage(browser);
    const { page } = opened;
    await giveEvmWallet(page);
    await show(page, samplePages.connect);
    const wanted = await page.locator('main').locator('button, input:checked, input:not([type=radio]), select').count();
    const reached = new Set<string>();
    for (let presses = 0; presses < wanted + 10; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === null || !element.matches('main :is(button, input, select)')) return undefined;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const place = element.getBoundingClientRect();
        return {
          key: `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent} ${place.top + scrollY}`,
          isSeen: outlineStyle === 'solid' && Number.parseFloat(outlineWidth) >= 2,
        };
      });
      if (focused === undefined) continue;
      assert.ok(focused.isSeen, focused.key);
      reached.add(focused.key);
    }
    assert.equal(reached.size, wanted);
  });

  turns.test('shows names as text, whatever is in them', async () => {
    const evil = `</script><script>alert(1)</script><!--<img src="https://evil.example/x.png" onerror="alert(2)">{{7*7}}`;
    const client = {
      name: evil,
      url: 'javascript:alert(3)',
      icon: 'https://evil.example/icon.png',
      returnsTo: evil,
    };
    const account = { platform: evil, name: evil };
    const scopes = [{ scope: evil, description: evil }];
    for (const data of [
      { ...samplePages.connect, account, community: { id: evil, name: evil } },
      { ...samplePages.login, client },
      { ...samplePages.consent, client, account, scopes },
      { page: 'notice', title: evil, text: evil },
    ] satisfies PageData[]) {
      await using opened = await openPage(browser);
      const { page, faults } = opened;
      await giveEvmWallet(page, evil);
      await show(page, data);
      assert.ok((await page.locator('main').innerText()).includes(evil), data.page);
      assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
      assert.deepEqual(faults, [], data.page);
    }
  });

  turns.test('keeps its layout with names of 4,000 characters, from right to left, and of one long word', async () => {
    const names = ['W'.repeat(4_000), '\u202eمجتمع القطط 👩‍👩‍👧‍👦 '.repeat(200)];
    for (const name of names) {
      const client = { ...samplePages.consent.client, name, maker: name };
      const account = { platform: 'discord', name };
      for (const data of [
        { ...samplePages.connect, account, community: { id: 'DIS#COMM#1', name } },
        { ...samplePages.login, client },
        { ...samplePages.consent, client, account },
      ] satisfies PageData[]) {
        await using opened = await openPage(browser, { viewport: { width: 390, height: 800 } });
        const { page, faults } = opened;
        await giveEvmWallet(page);
        await show(page, data);
        const { needed, given, tall } = await page.evaluate(() => ({
          needed: document.documentElement.scrollWidth,
          given: document.documentElement.clientWidth,
          tall: document.querySelector('h1')?.getBoundingClientRect().height ?? 0,
        }));
        assert.ok(needed <= given, `${data.page}: ${needed} does not fit into ${given}`);
        assert.ok(tall <= 120, `${data.page}: the title is ${tall} high`);
        if (data.page === 'consent') {
          const allow = await page.getByRole('button', { name: 'Allow', exact: true }).boundingBox();
          assert.ok(allow !== null && allow.x >= 0 && allow.x + allow.width <= 390, 'the buttons stay in reach');
        }
        assert.deepEqual(faults, [], data.page);
      }
    }
  });

  turns.test('shows a picture that this server serves, and a letter in the place of one that is none', async () => {
    await using opened = await openPage(browser, { expectsRefusals: true });
    const { page } = opened;
    await giveEvmWallet(page);
    const { community } = samplePages.connect;
    const iconOf = async (picture: string) => {
      await show(page, { ...samplePages.connect, community: { ...community, picture } });
      return page.locator('.intro .icon').evaluate((icon) => icon.tagName);
    };
    assert.equal(await iconOf(samplePicture), 'IMG');
    for (const picture of ['https://evil.example/x.png', '//evil.example/x.png', 'javascript:alert(1)'])
      assert.equal(await iconOf(picture), 'SPAN', picture);
    await page.goto(server.show({ ...samplePages.connect, community: { ...community, picture: '/pictures/gone' } }));
    await page.locator('.intro .icon.letter').waitFor();
  });

  turns.test('runs no script that was not served with it', async () => {
    await using opened = await openPage(browser);
    const { page, faults } = opened;
    await show(page, samplePages.notice);
    const results = await page.evaluate(async () => {
      const tried: Record<string, boolean> = {};
      const run = (name: string, work: () => void) => {
        try {
          work();
        } catch {
          tried[name] = false;
        }
      };
      Object.assign(window, { hit: (name: string) => (tried[name] = true) });
      // Not at once: whatever a debugger evaluates may do this.
      await new Promise((resolve) => setTimeout(resolve));
      // biome-ignore lint/security/noGlobalEval: that it does not work is what is looked at.
      run('eval', () => window.eval('hit("eval")'));
      run('inline', () => {
        const script = document.createElement('script');
        script.text = 'hit("inline")';
        document.body.append(script);
      });
      run('markup', () => {
        document.body.innerHTML = '<img src="data:," onerror="hit(\'markup\')">';
      });
      await fetch('https://evil.example/').catch(() => (tried.fetch = false));
      return tried;
    });
    assert.deepEqual(results, { eval: false, inline: false, markup: false, fetch: false });
    assert.ok(faults.length > 0, 'the browser tells of what it kept from running');
  });
});
