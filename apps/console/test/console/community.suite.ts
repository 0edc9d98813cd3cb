import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { communitiesIn } from '../harness/communities.ts';
import { asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';

const hostile = `<img src=x onerror=alert(1)> ‮${'W'.repeat(150)}`;

export function communitySuite(world: () => ConsoleWorld): void {
  const emulator = () => world().discord;
  const { newCommunity, joins } = communitiesIn(world);

  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

  test('shows a community with a hostile name on a phone, and its activity', async () => {
    const { owner, path, id } = await newCommunity('Frogs');
    await world().server.request('PATCH', `/latchkey/communities/${encodeURIComponent(id)}`, {
      headers: { authorization: await world().server.aeToken(owner) },
      json: { name: hostile },
    });
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      viewport: { width: 390, height: 800 },
      expectsRefusals: true,
    });
    const { page, faults, goTo } = opened;
    await page.getByText('My communities').waitFor();
    await page.getByRole('link', { name: /onerror/ }).waitFor();
    assert.equal(await fits(page), true, 'home');
    await goTo(path);
    await page.getByText(/^A community was changed by /).waitFor();
    await page.getByText('With a wallet').waitFor();
    assert.equal(await fits(page), true, 'overview');
    assert.deepEqual(faults, []);
  });

  test('keeps what was typed when saving is refused, and saves it afterwards', async () => {
    const { owner, path, id } = await newCommunity('Cats');
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/settings`,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    const error = { error: { statusCode: 409, code: 'STATE_CONFLICT', message: 'Another admin is changing it.' } };
    const route = '**/latchkey/communities/*';
    await page.route(route, (call) =>
      call.request().method() === 'PATCH' ? call.fulfill({ status: 409, json: error }) : call.fallback(),
    );
    await page.getByLabel('Name', { exact: true }).fill('Lions');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Another admin is changing it.').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Lions');
    await page.unroute(route);
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('link', { name: 'Lions' }).waitFor();
    const { rows } = await world().server.services.db.pool.query<{ name: string }>(
      'select name from communities where id = $1',
      [id],
    );
    assert.equal(rows[0]?.name, 'Lions');
    assert.deepEqual(faults, []);
  });

  test('makes a guest pass, and gives it to a member', async () => {
    const { owner, path, guild } = await newCommunity('Dogs');
    emulator().createRole(guild.id, { name: 'Guest' });
    await joins(guild.id, 'ada');
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/passes`,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByText('No guest passes yet').waitFor();
    await page.getByRole('button', { name: 'New pass' }).click();
    assert.ok(await hasFocus(page.getByLabel('Name')), 'a dialog begins with its first field');
    await page.getByLabel('Name').fill('Speaker');
    await page.getByRole('combobox', { name: 'Roles' }).or(page.getByLabel('Roles')).first().click();
    await page.getByRole('option', { name: 'Guest' }).click();
    await page.getByRole('button', { name: 'Create pass' }).click();
    await page.getByRole('heading', { name: 'Speaker' }).waitFor();
    await page.getByText('Gives Guest for 30 days.').waitFor();
    await page
      .getByRole('combobox', { name: 'Give Speaker to' })
      .or(page.getByLabel('Give Speaker to'))
      .first()
      .click();
    await page.getByRole('option', { name: 'ada' }).click();
    await page.getByRole('button', { name: 'Give pass' }).click();
    await page.getByRole('button', { name: 'End now' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('names a member as admin after a fresh sign-in, and removes them', async () => {
    const { owner, path, guild } = await newCommunity('Bees');
    await joins(guild.id, 'grace');
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/settings`,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('combobox', { name: 'Add an admin' }).or(page.getByLabel('Add an admin')).first().click();
    await page.getByRole('option', { name: 'grace' }).click();
    await page.getByRole('button', { name: 'Add admin' }).click();
    await page.getByText('grace is an admin. Discord does not say that they manage the community').waitFor();
    await page.getByText(/^Named by/).waitFor();
    await page.getByRole('button', { name: 'Remove grace' }).click();
    const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
    assert.ok(await hasFocus(cancel), 'a question begins with the answer that changes nothing');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove admin' }).click();
    await page.getByRole('button', { name: 'Remove grace' }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('sets which role changes need approval, with quiet hours and limits for one role', async () => {
    const { owner, path, id, guild } = await newCommunity('Owls');
    const role = emulator().createRole(guild.id, { name: `Elder ${'W'.repeat(80)}` });
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/settings`,
      viewport: { width: 390, height: 800 },
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByLabel('Removals per day').fill('20');
    await page.getByRole('switch', { name: 'Two admins must approve' }).check();
    await page.getByRole('switch', { name: 'Quiet hours' }).check();
    await page.getByLabel('To', { exact: true }).fill('22:00');
    await page.getByText('Choose another time than the start.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save approvals' }).isDisabled(), true);
    await page.getByLabel('To', { exact: true }).fill('06:30');
    // By keyboard: the pointer may scroll the field away, and the list closes with it.
    const zone = page.getByRole('combobox', { name: 'Time zone' }).or(page.getByLabel('Time zone')).first();
    await zone.fill('Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).waitFor();
    await zone.press('ArrowDown');
    await zone.press('Enter');
    await page.getByRole('button', { name: 'Add a role' }).click();
    await page
      .getByRole('combobox', { name: 'Role' })
      .or(page.getByLabel('Role', { exact: true }))
      .first()
      .click();
    await page.getByRole('option', { name: /^Elder/ }).click();
    await page.getByRole('checkbox', { name: /^Granting Elder/ }).check();
    await page.getByLabel('Changes by hand').first().click();
    await page.getByRole('option', { name: 'Report to admins' }).click();
    await page
      .getByLabel(/^Elder W+ changed by hand$/)
      .first()
      .click();
    await page.getByRole('option', { name: 'Correct at once' }).last().click();
    assert.equal(await fits(page), true, 'the form with a long role name');
    await page.getByRole('button', { name: 'Save approvals' }).click();
    await page.getByText('Approval policy saved.').waitFor();
    const saved = await world().server.request(
      'GET',
      `/latchkey/communities/${encodeURIComponent(id)}/approval-policy`,
      { headers: { authorization: await world().server.aeToken(owner) } },
    );
    const { removalsPerDay, approvers, quietHours, manualChanges, roles } = saved.json;
    assert.deepEqual([removalsPerDay, approvers, manualChanges], [20, 2, 'report']);
    assert.deepEqual(quietHours, { from: '22:00', to: '06:30', timeZone: 'Europe/Berlin' });
    assert.deepEqual(roles, [{ roleId: role.id, approvesGrants: true, manualChanges: 'correct' }]);
    assert.deepEqual(faults, []);
  });

  test('tells a stranger that there is no such community', async () => {
    const { path } = await newCommunity('Secret');
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#777000777'),
      path,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByText('ENTITY_NOT_FOUND').first().waitFor();
    assert.equal(await page.getByText('Secret').count(), 0);
    assert.deepEqual(faults, []);
  });
}

function hasFocus(part: Locator): Promise<boolean> {
  return part.evaluate((element) => element === document.activeElement);
}
