import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import type { Locator, Page } from 'playwright-core';
import { asOperator, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { freshEach } from '../harness/fresh-world.ts';
import { usualMethods } from '../harness/hands.ts';

const hostile = `<img src=x onerror=alert(1)>\u202Etxet${'long'.repeat(40)}`;

/** The day of an operator, on an unused server that lets every removal through. */
function firstDay(shared: () => ConsoleWorld): void {
  const world = freshEach(shared, { LATCHKEY_HOLD_PERCENT: '100' });

  async function applyFor(name: string): Promise<string> {
    const { server } = world();
    const { json } = await server.request('POST', '/client-apps', {
      headers: { authorization: await server.aeToken('DIS#USER#910'), 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    return String(json.id);
  }

  /** A job that was given up, a chain that is followed late, and a plan without a price. */
  async function letThingsHappen(): Promise<void> {
    const { system } = world().server.services.db;
    await sql`insert into jobs (name, payload, state, failures, last_error, died_at)
      values ('no.such-kind', '{}', 'dead', 5, ${'The service said no.\nat stack'}, now())`.execute(system);
    await sql`insert into followed_chains (chain, number, hash, followed_at)
      values ('evm:1', 90, '0x', now() - interval '10 minutes')`.execute(system);
    await world().server.request('PUT', '/latchkey/plans/console-plan', {
      headers: asOperator(world()),
      json: { audience: 'community', name: 'Console plan', prices: [] },
    });
  }

  for (const [way, handsOf] of usualMethods)
    test(`an operator sees at one look what is wrong, and does what is to be done, ${way}`, async () => {
      const id = await applyFor(hostile);
      await letThingsHappen();
      await using opened = await openConsole(world(), { as: asOperator(world()), path: '/operator' });
      const { page, faults } = opened;
      const hands = handsOf(page);
      const dialog = page.getByRole('dialog');
      const press = (name: string, within: Page | Locator = page) =>
        hands.press(within.getByRole('button', { name, exact: true }).first());
      const go = (place: string) =>
        hands.press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: place, exact: true }));

      await page.getByText('Something is failing. Start with the red lines.').waitFor();
      await hands.press(page.getByRole('link', { name: 'Review applications' }));
      await page.getByText('onerror=alert').first().waitFor();
      await press('Review');
      await dialog.getByText('Read the signed-in user’s identity.').waitFor();
      await hands.press(dialog.getByRole('checkbox', { name: /^user:read/ }));
      await hands.type(dialog.getByRole('textbox', { name: 'Notes' }), 'Looks fine.');
      await press('Approve', dialog);
      await dialog.waitFor({ state: 'hidden' });
      const { json } = await world().server.request('GET', `/client-apps/${id}`, { headers: asOperator(world()) });
      assert.deepEqual([json.status, json.allowedScopes], ['APPROVED', ['user:read']]);

      await go('Jobs');
      await page.getByText('The service said no.').waitFor();
      await press('Retry');
      await page.getByText('The service said no.').waitFor({ state: 'hidden' });
      await go('Chains');
      await page.getByText('Behind', { exact: true }).waitFor();
      await go('Plans and prices');
      await press('Edit', page.getByRole('listitem').filter({ hasText: 'Console plan' }));
      await press('Add price', dialog);
      await hands.type(dialog.getByRole('textbox', { name: 'Amount' }), '17.99');
      await press('Save plan', dialog);
      await page.getByText('17.99').waitFor();

      await go('Keys');
      await press('Create operator key');
      await hands.type(dialog.getByRole('textbox', { name: 'Name' }), 'Deputy');
      await press('Create key', dialog);
      await dialog.getByText(/^admin[0-9A-Za-z]{12}\./).waitFor();
      await press('I have kept it', dialog);
      await press('Revoke Deputy');
      await press('Revoke key', dialog);
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      await go('Settings');
      await page.getByRole('alert').filter({ hasText: 'No percentage of removals needs approval' }).waitFor();
      await go('Audit log');
      await page.getByText('“Looks fine.”').waitFor();
      assert.deepEqual(faults, []);
    });
}

export function operatorSuite(world: () => ConsoleWorld): void {
  const open = (path: string, options = {}) => openConsole(world(), { as: asOperator(world()), path, ...options });

  describe('from a fresh database', () => firstDay(world));

  test('an operator sees why a job was given up, and retries it', async () => {
    const { system } = world().server.services.db;
    await sql`insert into jobs (name, payload, state, failures, last_error, died_at)
      values ('no.such-kind', '{}', 'dead', 5, ${'The service said no.\nat stack'}, now())`.execute(system);
    await using opened = await open('/operator/jobs');
    const { page, faults } = opened;
    await page.getByText('The service said no.').waitFor();
    assert.equal(await page.getByText('at stack').count(), 0);
    // Jobs of other tests on this server may have been given up as well.
    const job = page.getByRole('listitem').filter({ hasText: 'The service said no.' });
    await job.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('The service said no.').waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
  });

  test('what was typed stays when the server refuses, and the refusal says why', async () => {
    await using opened = await open('/operator/waiting-list', { expectsRefusals: true });
    const { page, faults } = opened;
    await page.getByRole('textbox', { name: 'Person' }).fill('a-person');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('alert').getByText('Identify the person by an id').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Person' }).inputValue(), 'a-person');
    assert.deepEqual(faults, []);
  });
}
