import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { contextFor, decideClientApp } from '@latchkey/core';
import { appendEvents } from '@latchkey/core/testing/insides';
import { otpMailedTo } from '@latchkey/server/testing/read-mail';
import type { Page } from 'playwright-core';
import { communitiesIn } from '../harness/communities.ts';
import { asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';
import { freshEach } from '../harness/fresh-world.ts';
import { usualMethods } from '../harness/hands.ts';

const approve = ({ server }: ConsoleWorld, id: string) =>
  decideClientApp(contextFor(server.services, { kind: 'admin', name: 'test' }), {
    id,
    decision: 'approve',
    scopes: ['user:read'],
  });

/** Creates an application on the page and answers its id. */
async function createApp(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New application' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByText('it is shown only once').waitFor();
  await page.getByRole('button', { name: 'I have copied them' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** From nothing at all. */
function fromNothing(shared: () => ConsoleWorld): void {
  const world = freshEach(shared);
  for (const [number, [way, handsOf]] of usualMethods.entries())
    test(`a developer comes from nothing to an organization, a login and a first API answer, ${way}`, async (t) => {
      const email = `cats-${number}@example.org`;
      await using opened = await openConsole(world(), {
        as: await asPerson(world(), `DIS#USER#810${number + 4}`),
        path: '/developers',
        expectsRefusals: true,
      });
      const { page, faults } = opened;
      const hands = handsOf(page);
      const dialog = page.getByRole('dialog');
      const press = (name: string) => hands.press(page.getByRole('button', { name }));
      await giveEvmWallet(page);
      await press('New organization');
      await hands.type(dialog.getByLabel('Name'), 'Cat people');
      await hands.type(dialog.getByLabel('E-mail address'), email);
      await hands.press(dialog.getByRole('button', { name: 'Create organization' }));
      await page.getByRole('heading', { level: 1, name: 'Cat people' }).waitFor();
      await hands.type(page.getByLabel('Code'), await otpMailedTo(world().server, email));
      await press('Confirm');
      await press('New application');
      await hands.type(dialog.getByLabel('Name'), 'First app');
      await hands.press(dialog.getByRole('button', { name: 'Create application' }));
      await press('I have copied them');
      await page.getByRole('heading', { level: 1, name: 'First app' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      await page.getByText('Waiting for the operator').waitFor();
      await hands.press(page.getByRole('link', { name: 'Try a login' }));
      await approve(world(), id);
      await press('Check again');
      await page.getByText('The application is approved.').waitFor();
      await press('Add this page');
      await page.getByText('This page is among its redirect URIs.').waitFor();
      await press('Start the login');
      await page.getByRole('heading', { name: 'Sign in to First app' }).waitFor();
      await press('Test Fox');
      await page.getByRole('heading', { name: 'Allow First app?' }).waitFor();
      await press('Allow');
      await page.getByRole('heading', { name: '4. The first API answer' }).waitFor();
      await page.getByText(`"aud": "${id}"`).waitFor();
      assert.ok(!page.url().includes('code='), 'the code stays neither in the address nor in the history');
      assert.ok(hands.seconds() < 5 * 60, `${hands.seconds()} seconds`);
      t.diagnostic(`${hands.clicks()} clicks, ${hands.seconds()} seconds of a person`);

      await hands.press(page.getByRole('link', { name: 'Developers' }).first());
      await hands.press(page.getByRole('link', { name: 'Open mini-apps' }));
      await press('Register mini-app');
      await hands.type(dialog.getByLabel('Name'), 'Small app');
      await hands.type(dialog.getByLabel('Description'), 'Says hello to members.');
      await hands.type(dialog.getByLabel('Address'), 'https://mini.example/');
      await hands.press(dialog.getByRole('button', { name: 'Register' }));
      await press('I have copied it');
      await page.getByText('Registered and submitted for review').waitFor();
      await press('Check now');
      // Nothing answers at that address, which is explained.
      await page.getByText('It could not be checked').waitFor();
      await page.getByText('Make sure it runs at the address below').waitFor();
      assert.deepEqual(faults, []);
    });
}

export function developerSuite(world: () => ConsoleWorld): void {
  describe('from a fresh database', () => fromNothing(world));

  test('a webhook is tried before it is saved, its deliveries are seen and sent again, and its secret is replaced', async () => {
    const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    try {
      await using opened = await openConsole(world(), {
        as: await asPerson(world(), 'DIS#USER#8102'),
        path: '/developers',
        expectsRefusals: true,
      });
      const { page, faults } = opened;
      const id = await createApp(page, 'Hooked');
      await page.getByRole('tab', { name: 'Webhooks' }).click();
      const address = page.getByLabel('Address');
      await address.fill(url);
      await page.getByRole('button', { name: 'Send test event' }).click();
      // This server calls no address on its own machine; what it says is on the page, and what was typed stays.
      await page.getByText('Not delivered').waitFor();
      assert.equal(await address.inputValue(), url);
      await page.getByLabel('The application was reviewed').check();
      await page.getByRole('button', { name: 'Save webhook' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await approve(world(), id);
      // The list hears of the delivery by itself.
      await page.getByRole('button', { name: 'Details' }).click();
      await page.getByText('"previousStatus": "PENDING"').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It is being sent again.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Replace secret' }).click();
      await page.getByRole('radio', { name: 'In 1 hour' }).check();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
      await page.getByText('New webhook secret').waitFor();
      await page.getByText(/^Requests are also signed with the previous secret until/).waitFor();
      assert.deepEqual(faults, []);
    } finally {
      receiver.close();
    }
  });

  test('what happened before there was a webhook is sent to it, all of a period or one event', async () => {
    const { server } = world();
    const { id: communityId, owner } = await communitiesIn(world).newCommunity('Loggers');
    const as = await asPerson(world(), owner);
    const community = { id: communityId, owner_id: owner };
    await server.services.db.transaction('system', (tx) =>
      appendEvents(server.services, tx, 'rule.created', [
        { community, data: { ruleId: 'TPC#1', roleId: 'gold', changedBy: owner } },
      ]),
    );
    await using opened = await openConsole(world(), { as, path: '/developers' });
    const { page, faults } = opened;
    const id = await createApp(page, 'Late');
    const saved = await server.request('PUT', `/latchkey/client-apps/${id}/webhook`, {
      headers: as,
      json: { webhookUrl: 'http://127.0.0.1:9/hook', subscribeEvents: ['rule.created'] },
    });
    assert.equal(saved.status, 200, saved.text);
    await page.getByRole('tab', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: 'Browse events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.getByRole('button', { name: 'Send to the webhook' }).click();
    await page.getByText('1 event is being sent.').waitFor();
    await page.getByRole('button', { name: 'Details' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`"communityId": "${communityId}"`).waitFor();
    await dialog.getByRole('button', { name: 'Send to the webhook' }).click();
    await dialog.getByText('1 event is being sent.').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a key is replaced with an overlap, which can be ended', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#8103'),
      path: '/developers',
    });
    const { page, faults } = opened;
    await createApp(page, 'Rolled <b>app</b> ‮');
    await page.getByRole('button', { name: 'Replace key' }).click();
    await page.getByRole('radio', { name: 'In 1 hour' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace key' }).click();
    await page.getByText('The previous key still works until').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('button', { name: 'Replace key' }).isDisabled());
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.getByText('The previous key still works until').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });
}
