import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { asOperator, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { freshEach } from '../harness/fresh-world.ts';

const hostile = `<img src=x onerror=alert(1)>\u202Etxet${'long'.repeat(40)}`;

/** What an operator does first, on a server that nobody has used. */
function firstApproval(shared: () => ConsoleWorld): void {
  const world = freshEach(shared);

  async function applyFor(name: string): Promise<string> {
    const { server } = world();
    const { json } = await server.request('POST', '/client-apps', {
      headers: { authorization: await server.aeToken('DIS#USER#910'), 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    return String(json.id);
  }

  test('an operator approves an application with the scopes that they choose, by keyboard too', async () => {
    const { server } = world();
    const id = await applyFor(hostile);
    await using opened = await openConsole(world(), { as: asOperator(world()), path: '/operator/approvals' });
    const { page, faults } = opened;
    await page.getByRole('searchbox').fill(id);
    await page.getByText('onerror=alert').first().waitFor();
    // What others have left waiting goes when the search has its answer.
    await page.getByRole('button', { name: 'Review' }).nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Review' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /^user:read/ }).check();
    await dialog.getByRole('textbox', { name: 'Notes' }).fill('Looks fine.');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('No application found').waitFor();
    const { json } = await server.request('GET', `/client-apps/${id}`, { headers: { 'x-api-key': server.adminKey } });
    assert.deepEqual([json.status, json.allowedScopes], ['APPROVED', ['user:read']]);
    await opened.goTo('/operator/audit');
    await page.getByText('“Looks fine.”').waitFor();
    assert.deepEqual(faults, []);
  });
}

export function operatorSuite(world: () => ConsoleWorld): void {
  const open = (path: string, options = {}) => openConsole(world(), { as: asOperator(world()), path, ...options });

  describe('from a fresh database', () => firstApproval(world));

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

  test('an operator makes a key that is shown once, and revokes it', async () => {
    await using opened = await open('/operator/keys');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Create operator key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Deputy');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText(/^admin[0-9A-Za-z]{12}\./).waitFor();
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Revoke Deputy' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    assert.deepEqual(faults, []);
  });

  test('what was typed stays when the server refuses, and the refusal says why', async () => {
    await using opened = await open('/operator/waiting-list', { expectsRefusals: true });
    const { page, faults } = opened;
    await page.getByRole('textbox', { name: 'Person' }).fill('somebody');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('alert').getByText('Name the person by an id').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Person' }).inputValue(), 'somebody');
    assert.deepEqual(faults, []);
  });

  test('an operator changes the price of a plan', async () => {
    const { server } = world();
    await server.request('PUT', '/latchkey/plans/console-plan', {
      headers: { 'x-api-key': server.adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ audience: 'community', name: 'Console plan', prices: [] }),
    });
    await using opened = await open('/operator/plans');
    const { page, faults } = opened;
    const row = page.getByRole('listitem').filter({ hasText: 'Console plan' });
    await row.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add price' }).click();
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('17.99');
    await dialog.getByRole('button', { name: 'Save plan' }).click();
    await row.getByText('17.99').waitFor();
    assert.deepEqual(faults, []);
  });
}
