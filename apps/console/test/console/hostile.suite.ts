import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screens } from '../../src/app/screens.ts';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { playServer } from '../harness/play-server.ts';
import { screenFaults } from '../harness/screen-faults.ts';

/** Far from the server in zone, language and form of numbers. */
const zone = { locale: 'de-DE', timezoneId: 'Asia/Kathmandu' };

/** Every screen, with the worst in all that it is told; a new field or a new screen is looked at by itself. */
export function hostileSuite(world: () => ConsoleWorld): void {
  const ofOperator = screens.filter(({ path }) => path.startsWith('/operator'));
  const ofPeople = screens.filter((screen) => !ofOperator.includes(screen));
  const groups = [
    ['a person is', ofPeople, () => asPerson(world(), 'DIS#USER#930')],
    ['the operator is', ofOperator, async () => asOperator(world())],
  ] as const;
  for (const [who, shown, signIn] of groups)
    test(`nothing that ${who} shown runs, loads or breaks the page, and times are in their own form`, async (t) => {
      await using opened = await openConsole(world(), {
        as: await signIn(),
        path: '/nowhere',
        expectsRefusals: true,
        viewport: { width: 390, height: 800 },
        ...zone,
      });
      const { page, faults } = opened;
      const ran: unknown[] = [];
      await page.exposeFunction('ran', (which: unknown) => void ran.push(which));
      const server = await playServer(page, (route) => route.abort());
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
        for (const fault of faults.splice(0)) problems.push(`${path}: ${fault}`);
      }
      assert.deepEqual([...problems, ...server.unnamed], []);
      assert.deepEqual(ran, []);
      t.diagnostic(`${shown.length} screens, ${server.count()} answers`);
    });
}
