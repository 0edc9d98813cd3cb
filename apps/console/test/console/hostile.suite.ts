import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { distinctOpeners, openersIn, pressAtOnce, twoFrames } from '../harness/openers.ts';
import { type PlayedServer, playServer } from '../harness/play-server.ts';
import { screenFaults } from '../harness/screen-faults.ts';
import { someScreens } from '../harness/some-screens.ts';

/** Far from the server in zone, language and form of numbers. */
const zone = { locale: 'de-DE', timezoneId: 'Asia/Kathmandu' };

/** Screens with the worst in all that they are told; the deep run looks at all of them, and behind their buttons. */
export function hostileSuite(world: () => ConsoleWorld): void {
  const screens = someScreens(16, 2);
  const ofOperator = screens.filter(({ path }) => path.startsWith('/operator'));
  const ofPeople = screens.filter((screen) => !ofOperator.includes(screen));
  const groups = [
    ['a person is', ofPeople, () => asPerson(world(), 'DIS#USER#930')],
    ['the operator is', ofOperator, async () => asOperator(world())],
  ] as const;
  /** A page that is told nothing but the worst, on a phone far away. */
  async function openHostile(as: Record<string, string>) {
    const viewport = { width: 390, height: 800 };
    const opened = await openConsole(world(), { as, path: '/nowhere', expectsRefusals: true, viewport, ...zone });
    const ran: unknown[] = [];
    await opened.page.exposeFunction('ran', (which: unknown) => void ran.push(which));
    return { ...opened, ran, server: await playServer(opened.page, (route) => route.abort()) };
  }

  for (const [who, shown, signIn] of groups)
    test(`nothing that ${who} shown runs, loads or breaks the page, and times are in their own form`, async (t) => {
      await using opened = await openHostile(await signIn());
      const { page, faults, ran, server } = opened;
      const problems: string[] = [];
      const main = page.getByRole('main');
      for (const { path } of shown) {
        await server.show(path);
        for (const tab of [undefined, ...(await main.getByRole('tab').all()).slice(1)]) {
          const name = (await tab?.textContent()) ?? '';
          await tab?.click();
          await server.settle();
          for (const fault of await screenFaults(page, zone)) problems.push(`${path} ${name}: ${fault}`);
        }
        if (volume(0, 1) === 1) problems.push(...(await problemsBehindButtons(page, server, path)));
        for (const fault of faults.splice(0)) problems.push(`${path}: ${fault}`);
      }
      assert.deepEqual([...problems, ...server.unnamed], []);
      assert.deepEqual(ran, []);
      t.diagnostic(`${shown.length} screens, ${server.count()} answers`);
    });

  test('a token of any name and picture is found, chosen and shown without harm', async () => {
    await using opened = await openHostile(await asPerson(world(), 'DIS#USER#930'));
    const { page, faults, ran, server } = opened;
    await server.show('/communities/$communityId/rules/new');
    await page.getByLabel('Token', { exact: true }).fill('anything');
    const found = page.getByRole('list', { name: 'Tokens found' }).getByRole('button');
    await found.first().waitFor();
    const problems = await screenFaults(page, zone);
    for (const token of await found.all()) assert.notEqual(await token.textContent(), '');
    await found.first().click();
    await server.settle();
    problems.push(...(await screenFaults(page, zone)));
    assert.deepEqual([...problems, ...server.unnamed, ...faults], []);
    assert.deepEqual(ran, []);
  });
}

/** What is wrong with the dialogs, menus and parts of a screen that its buttons open. */
async function problemsBehindButtons(page: Page, server: PlayedServer, path: string): Promise<string[]> {
  const problems: string[] = [];
  const openers = openersIn(page.getByRole('main'));
  await server.show(path);
  for (const [index, name] of await distinctOpeners(openers, 200)) {
    await server.show(path);
    if (!(await openers.nth(index).isVisible())) continue;
    await pressAtOnce(openers.nth(index));
    await twoFrames(page);
    await server.settle();
    for (const fault of await screenFaults(page, zone)) problems.push(`${path} → ${name.slice(0, 40)}: ${fault}`);
  }
  return problems;
}
