import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeCookie, pseudoLocale } from '@latchkey/kernel/messages';
import type { Page } from 'playwright-core';
import { communityScreens } from '../../src/community/screens.ts';
import { developerScreens } from '../../src/developer/screens.ts';
import { memberScreens } from '../../src/member/screens.ts';
import { operatorScreens } from '../../src/operator/screens.ts';
import { asOperator, asPerson, type ConsoleWorld, signIn } from '../harness/console.ts';
import { foreignAnswer } from '../harness/hostile-answers.ts';
import { fits } from '../harness/look-at.ts';
import { findCutText, findOverflow, findPlainText } from '../harness/look-at-language.ts';
import { distinctOpeners, openersIn, pressAtOnce, twoFrames } from '../harness/openers.ts';
import { type PlayedServer, playServer } from '../harness/play-server.ts';

const accountId = 'DIS#USER#933';
const groups = [
  ['members', memberScreens],
  ['developers', developerScreens],
  ['communities', communityScreens],
  ['the operator', operatorScreens],
] as const;

/** What a button may open, over the page or in it. */
const overlays = 'dialog[open], [role=dialog], [role=menu], [role=listbox]';

/**
 * Every screen and what its buttons open, in the pseudo-locale, with answers that hold no letter of ours but in ids, addresses and times.
 * Whatever else has one is a text that is in no catalogue.
 */
export function languageSuite(world: () => ConsoleWorld): void {
  for (const [who, screens] of groups)
    test(`say nothing that is not in a catalogue, and fit when it is 40 % longer: the screens of ${who}`, async () => {
      const as = screens === operatorScreens ? asOperator(world()) : await asPerson(world(), accountId);
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
      const problems: string[] = [];
      const look = async (where: string, width: number) => {
        await page.setViewportSize({ width, height: 800 });
        const outside = (await fits(page)) ? [] : ['wider than the window'];
        const found = [await findPlainText(page, told), outside, await findOverflow(page), await findCutText(page)];
        problems.push(...found.flat().map((problem) => `${where}, ${width} wide: ${problem}`));
      };
      for (const { path } of screens) {
        await server.show(path);
        const tabs = await page.getByRole('main').getByRole('tab').all();
        for (const [index, tab] of (tabs.length > 0 ? tabs : [undefined]).entries()) {
          await tab?.click();
          await server.settle();
          const where = index === 0 ? path : `${path}, tab ${index + 1}`;
          for (const width of [1280, 390]) await look(where, width);
          await openAll(page, server, path, index, (name) => look(`${where} → ${name}`, 390));
        }
        problems.push(...faults.splice(0).map((fault) => `${path}: ${fault}`));
      }
      assert.deepEqual([...new Set(problems)], []);
    });
}

/** Presses each button of a tab that opens something over the page, looks at that, and closes it. */
async function openAll(
  page: Page,
  server: PlayedServer,
  path: string,
  tab: number,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const main = page.getByRole('main');
  const openers = openersIn(main);
  const overlay = page.locator(overlays).filter({ visible: true }).first();
  const begin = async () => {
    await server.show(path);
    const tabs = main.getByRole('tab');
    if (tab > 0) await tabs.nth(tab).click();
    await server.settle();
  };
  for (const [index, name] of await distinctOpeners(openers, 40)) {
    const opener = openers.nth(index);
    if (!(await opener.isVisible())) await begin();
    if (!(await opener.isVisible())) continue;
    const before = await main.innerHTML();
    await pressAtOnce(opener);
    await twoFrames(page);
    await server.settle();
    const isOpen = await overlay.isVisible();
    if (isOpen || (await main.innerHTML()) !== before) await look(name.slice(0, 40));
    // What opens over a page closes with Escape; a part that unfolds stays, and the page begins again.
    if (isOpen) await page.keyboard.press('Escape');
    await twoFrames(page);
    if ((await overlay.isVisible()) || (await main.innerHTML()) !== before) await begin();
  }
}
