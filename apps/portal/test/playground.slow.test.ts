import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlaygroundServer, startPlaygroundServer } from '@latchkey/server/testing/playground-server';
import { until } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { siteForSuite, type Visit, withoutBrowser } from './site.ts';

const address = '/help-docs/intro';

describe('the playground in the guides', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  let world: PlaygroundServer;
  before(async () => {
    world = await startPlaygroundServer();
  });
  after(() => world.close());

  const open = (options: Visit = {}, path = address) =>
    site.visit(path, { settings: { apiUrl: world.server.url }, ...options });
  const panel = (page: Page) => page.getByRole('region', { name: 'Try it: a sample community of your own' });
  const press = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true }).click();
  /** Waits until the page itself shows these members with Holder. */
  const untilHolders = (page: Page, names: string) =>
    until(`the page shows ${names} with Holder`, async () => {
      const rows = panel(page)
        .locator('tbody tr')
        .filter({ has: page.locator('[data-role=Holder]') });
      return (await rows.locator('th').allTextContents()).join() === names;
    });
  const query = (text: string) => world.server.services.db.pool.query(text);

  test('follows what its reader does: link, sell, edit, approve, undo', async () => {
    await using opened = await open();
    const { page } = opened;
    await press(page, 'Start');
    await untilHolders(page, 'ada,ben,cleo,dan');
    await press(page, 'Link a wallet');
    await untilHolders(page, 'you,ada,ben,cleo,dan');
    await press(page, 'Sell the token');
    await untilHolders(page, 'ada,ben,cleo,dan');
    await panel(page).getByText('you lost Holder.').waitFor();
    await press(page, 'Buy it back');
    await untilHolders(page, 'you,ada,ben,cleo,dan');
    await press(page, 'Edit the rule');
    await panel(page).getByText('4 removals waiting for your approval.').waitFor();
    await press(page, 'Approve');
    await untilHolders(page, 'ada');
    await press(page, 'Undo');
    await untilHolders(page, 'you,ada,ben,cleo,dan');
    const [{ count } = { count: 0 }] = (await query('select count(*)::int as count from role_ledger')).rows;
    assert.ok(count >= 14, `the engine recorded ${count} changes`);
    const faults = opened.faults.filter((fault) => !fault.startsWith(`request: ${world.server.url}/`));
    assert.deepEqual(faults, []);
  });

  test('is the same copy on another page, and on the same page loaded again', async () => {
    await using opened = await open();
    const { page } = opened;
    await press(page, 'Start');
    await untilHolders(page, 'ada,ben,cleo,dan');
    await press(page, 'Sell the token');
    await panel(page).getByRole('button', { name: 'Buy it back' }).waitFor();
    await page.reload();
    await panel(page).getByRole('button', { name: 'Buy it back' }).waitFor();
    await page.goto(new URL('/help-docs/key-features/token-gate-communities', page.url()).href);
    await panel(page).getByRole('button', { name: 'Buy it back' }).waitFor();
  });

  test('says that it has ended, and starts again', async () => {
    await using opened = await open({ expectsRefusals: true });
    const { page } = opened;
    await press(page, 'Start');
    await untilHolders(page, 'ada,ben,cleo,dan');
    await query(`update playgrounds set expires_at = now() - interval '1 second'`);
    await panel(page).getByText('This sample community has ended. Start again with a new one.').waitFor();
    await press(page, 'Start again');
    await untilHolders(page, 'ada,ben,cleo,dan');
  });

  test('keeps the copy while the server does not respond', async () => {
    await using opened = await open({ expectsRefusals: true });
    const { page } = opened;
    await press(page, 'Start');
    await untilHolders(page, 'ada,ben,cleo,dan');
    await page.route('**/latchkey/playgrounds/**', (route) => route.abort());
    await panel(page).getByText('does not respond').waitFor();
    await page.unroute('**/latchkey/playgrounds/**');
    await panel(page).getByText('Ready. Your community ends at').waitFor();
    await untilHolders(page, 'ada,ben,cleo,dan');
  });

  test('shows the recorded sequence and why, on a server without the sample world', async () => {
    const { services } = world.server;
    const { playgroundWorld } = services;
    services.playgroundWorld = undefined;
    try {
      await using opened = await open({ expectsRefusals: true });
      await press(opened.page, 'Start');
      await panel(opened.page)
        .getByText('It cannot be tried here: This server runs without the sample world')
        .waitFor();
      await panel(opened.page).getByText('You sell the token.').waitFor();
    } finally {
      services.playgroundWorld = playgroundWorld;
    }
  });

  test('shows the recorded sequence where no server is connected', async () => {
    await using opened = await open({ settings: {} });
    await press(opened.page, 'Start');
    await panel(opened.page).getByText('No server is connected to this copy of the documentation.').waitFor();
    await panel(opened.page).getByText('You link a wallet.').waitFor();
  });

  test('is text without JavaScript, without buttons that do nothing', async () => {
    await using opened = await open({ javaScriptEnabled: false, startsUp: false });
    const shown = panel(opened.page);
    await shown.getByText('The same, recorded').click();
    assert.equal(await shown.getByText('You edit the rule: at least 3 KEY.').isVisible(), true);
    assert.equal(await shown.getByRole('row', { name: 'ada 3 KEY, 100 COIN' }).isVisible(), true);
    assert.equal(await shown.getByRole('button', { name: 'Start' }).isVisible(), false);
  });
});
