import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeCookie, pseudoLocale } from '@latchkey/kernel/messages';
import { developerScreens } from '../../src/developer/screens.ts';
import { memberScreens } from '../../src/member/screens.ts';
import { asOperator, asPerson, type ConsoleWorld, signIn } from '../harness/console.ts';
import { foreignAnswer } from '../harness/hostile-answers.ts';
import { fits } from '../harness/look-at.ts';
import { findCutText, findOverflow, findPlainText } from '../harness/look-at-language.ts';
import { playServer } from '../harness/play-server.ts';

/** The areas whose texts are in catalogues. */
const areas = [memberScreens, developerScreens];
const accountId = 'DIS#USER#933';

/**
 * Every screen in the pseudo-locale, with answers that hold no letter of ours but in ids, addresses and times. Whatever else has one is a
 * text that is in no catalogue.
 */
export function languageSuite(world: () => ConsoleWorld): void {
  for (const { path } of areas.flat())
    test(`says nothing that is not in a catalogue, and fits when it is 40 % longer: ${path}`, async () => {
      const as = path.startsWith('/operator') ? asOperator(world()) : await asPerson(world(), accountId);
      await using opened = await signIn(world(), { as, expectsRefusals: true });
      const { page, faults, goTo } = opened;
      await page.context().addCookies([{ name: localeCookie, value: pseudoLocale, url: world().server.url }]);
      await goTo('/nowhere');
      const told = new Set([accountId]);
      const server = await playServer(
        page,
        (route) => route.abort(),
        (operation, turn) => foreignAnswer(operation, turn, (text) => told.add(text)),
      );
      await server.show(path);
      const tabs = await page.getByRole('tab').all();
      for (const tab of tabs.length > 0 ? tabs : [undefined]) {
        await tab?.click();
        await server.settle();
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          assert.deepEqual(await findPlainText(page, told), [], `${width} wide`);
          assert.ok(await fits(page), `does not fit into ${width}`);
          assert.deepEqual([...(await findOverflow(page)), ...(await findCutText(page))], [], `${width} wide`);
        }
      }
      assert.deepEqual(faults, []);
    });
}
