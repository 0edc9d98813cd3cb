import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { quickStart } from '../src/home/quick-start.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

const apiUrl = 'https://api.example.org';

describe('the first page', { skip: withoutBrowser }, () => {
  const site = siteForSuite();

  /** Opens it on a site that is configured for an API, which responds as scripted. */
  async function visitWithApi(answer: (route: Route) => Promise<void>) {
    const requests: string[] = [];
    const opened = await site.visit('/', {
      settings: { apiUrl },
      expectsRefusals: true,
      routes: {
        [`${apiUrl}/**`]: (route) => {
          requests.push(`${route.request().method()} ${route.request().url()}`);
          return answer(route);
        },
      },
    });
    const faultsOfPage = () => opened.faults.filter((fault) => !fault.startsWith(`request: ${apiUrl}/`));
    return { ...opened, requests, faultsOfPage, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  }
  const send = (route: Route, json: unknown, status = 200) =>
    route.fulfill({ status, json, headers: { 'access-control-allow-origin': '*' } });
  const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  test('says what this is, shows how it works, and has a starting point for every audience', async () => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1, name: 'Latchkey gives roles to those who hold the key' }).waitFor();
    const picture = page.getByRole('img', { name: 'How a member gets a role' });
    await picture.waitFor();
    const described = await picture.evaluate(
      (image) => document.getElementById(image.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
    );
    assert.match(described, /wallet signs a message.+asks the chain.+gets the role/);
    const cards = await page
      .locator('section')
      .filter({ has: page.getByRole('heading', { level: 2, name: 'Where do you want to start?' }) })
      .locator('div:has(> h3)')
      .evaluateAll((found) =>
        found.map((card) => [card.querySelector('h3')?.innerText, card.querySelector('a')?.getAttribute('href')]),
      );
    assert.deepEqual(cards, [
      ['Developers', '/docs/intro'],
      ['Members', '/help-docs/wallets/verify-your-wallet'],
      ['Community admins', '/help-docs/set-up-the-bot/before-adding-the-bot'],
      ['Operators', '/operators/install'],
      ['DAO participants', '/dao/governance/gov-overview'],
    ]);
    await page.getByRole('main').getByRole('link', { name: 'Get started', exact: true }).click();
    await page.waitForURL('**/docs/intro');
    await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('leads to the console before it shows a request', async () => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    const steps = page.getByRole('region', { name: /^Quick start/ }).getByRole('listitem');
    assert.deepEqual(await steps.locator('h3').allInnerTexts(), [
      'Run the server',
      'Create a first rule in the console',
      'Invite the bot to your own community',
    ]);
    const rule = steps.nth(1);
    await rule.getByText('as the owner of the sample community').waitFor();
    assert.deepEqual(await rule.locator('b').allInnerTexts(), ['Rules', 'New rule']);
    const request = rule.getByText('curl -s -X POST');
    assert.equal(await request.isVisible(), false);
    await rule.getByText('The same with curl').click();
    await request.waitFor();
    assert.deepEqual(faults, []);
  });

  for (const path of ['/docs/intro', '/help-docs/intro'])
    test(`${path} shows no request before the reader has been sent to the console`, async () => {
      await using opened = await site.visit(path);
      const { page, faults } = opened;
      const text = await page.getByRole('main').innerText();
      assert.match(text, /console/);
      assert.ok(!/curl -s|\bPOST \//.test(text.slice(0, text.indexOf('console'))));
      assert.deepEqual(faults, []);
    });

  test('shows the commands that start and test a server, and copies each with one click', async () => {
    await using opened = await site.visit('/', {
      permissions: ['clipboard-read', 'clipboard-write'],
      prepare: (page) => page.clock.install(),
    });
    const { page, faults } = opened;
    // The confirmation is shown for a while, which ends when the test advances the clock.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
    for (const command of [quickStart.run, quickStart.check]) {
      const sample = page.getByRole('figure').filter({ has: page.getByText(command, { exact: true }) });
      await sample.getByText(command, { exact: true }).waitFor();
      await sample.getByRole('button', { name: 'Copy', exact: true }).click();
      await sample.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
      await page.clock.runFor(3000);
      await sample.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    }
    assert.deepEqual(faults, []);
  });

  test('says that no server is connected when none is configured, and calls none', async () => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    await says(page, 'No server is connected to this copy of the documentation.');
    assert.deepEqual(faults, []);
  });

  test('shows the status of the configured server, which it only reads from', async () => {
    let discordClientId: string | undefined = '42';
    await using opened = await visitWithApi((route) =>
      send(route, route.request().url().endsWith('/ping') ? { version: '9.8.7' } : { discordClientId }),
    );
    const { page, requests } = opened;
    await says(page, `The server at ${apiUrl} is running: version 9.8.7, with a Discord bot.`);
    assert.deepEqual(requests.toSorted(), [`GET ${apiUrl}/config`, `GET ${apiUrl}/ping`]);
    discordClientId = undefined;
    await page.reload();
    await says(page, `The server at ${apiUrl} is running: version 9.8.7, without a Discord bot.`);
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('says that the server is not responding when it is down, and notices when it is back', async () => {
    let answer = (route: Route) => route.abort();
    await using opened = await visitWithApi((route) => answer(route));
    const { page } = opened;
    await says(page, `The server at ${apiUrl} is not responding.`);
    answer = (route) => send(route, { version: '9.8.7' });
    await page.reload();
    await says(page, `The server at ${apiUrl} is running: version 9.8.7, without a Discord bot.`);
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('does not treat an error as a response', async () => {
    const error = { name: 'ServiceUnavailableError', statusCode: 503, message: 'The database is away.' };
    await using opened = await visitWithApi((route) => send(route, { error }, 503));
    const { page } = opened;
    await says(page, `The server at ${apiUrl} is not responding.`);
    assert.deepEqual(opened.faultsOfPage(), []);
  });
});
