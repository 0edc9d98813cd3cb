import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeCookie, pseudoLocale } from '@latchkey/kernel/messages';
import { volume } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, asPerson, type ConsoleWorld, signIn } from '../harness/console.ts';
import { foreignAnswer } from '../harness/hostile-answers.ts';
import { fits } from '../harness/look-at.ts';
import { findCutText, findOverflow, findPlainText } from '../harness/look-at-language.ts';
import { distinctOpeners, openersIn, pressAtOnce, twoFrames } from '../harness/openers.ts';
import { type PlayedServer, playServer } from '../harness/play-server.ts';
import { someScreens } from '../harness/some-screens.ts';

const accountId = 'DIS#USER#933';

/** What a button opens over the page. */
const overlays = 'dialog[open], [role=dialog], [role=menu], [role=listbox]';

/**
 * Screens with what their tabs and buttons open, in the pseudo-locale, with answers that hold no letter of ours but in ids, addresses and
 * times. Whatever else has one is a text that is in no catalogue. An ordinary run takes a few screens, the deep one all.
 */
export function languageSuite(world: () => ConsoleWorld): void {
  for (const { path } of someScreens(6, 5))
    test(`says nothing that is not in a catalogue, and fits when it is 40 % longer: ${path}`, async (t) => {
      const as = path.startsWith('/operator') ? asOperator(world()) : await asPerson(world(), accountId);
      await using opened = await signIn(world(), { as, expectsRefusals: true });
      const { page, faults, goTo } = opened;
      await page.context().addCookies([{ name: localeCookie, value: pseudoLocale, url: world().server.url }]);
      await goTo('/nowhere');
      // The account, and what the path of a screen names.
      const told = new Set([accountId, 'DIS#USER#1', 'DIS#COMM#1']);
      const server = await playServer(
        page,
        (route) => route.abort(),
        (operation, turn) => foreignAnswer(operation, turn, (text) => told.add(text)),
      );
      const problems = new Set<string>();
      const look = async (where: string, width: number) => {
        await page.setViewportSize({ width, height: 800 });
        const found = [await findPlainText(page, told), await findOverflow(page), await findCutText(page)].flat();
        if (!(await fits(page))) found.push('the page is wider than the window');
        for (const problem of found) problems.add(`${where}, ${width} wide: ${problem}`);
      };
      const main = page.getByRole('main');
      const show = async (tab: number) => {
        await server.show(path);
        if (tab > 0) await main.getByRole('tab').nth(tab).click();
        await server.settle();
      };
      await show(0);
      const tabs = Math.max(1, await main.getByRole('tab').count());
      let behind = 0;
      for (let tab = 0; tab < tabs; tab += 1) {
        if (tab > 0) await show(tab);
        for (const width of [1280, 390]) await look(`tab ${tab + 1}`, width);
        behind += await openAll(
          page,
          server,
          () => show(tab),
          (name) => look(`tab ${tab + 1} → ${name}`, 390),
        );
      }
      t.diagnostic(`${path}: ${tabs} tabs, ${behind} views behind buttons`);
      assert.deepEqual([...problems, ...faults], []);
    });
}

/** Presses each button that opens something over the page or in it, looks at that, and closes it again. Returns how many there were. */
async function openAll(
  page: Page,
  server: PlayedServer,
  begin: () => Promise<void>,
  look: (name: string) => Promise<void>,
): Promise<number> {
  const main = page.getByRole('main');
  const openers = openersIn(main);
  const overlay = page.locator(overlays).filter({ visible: true }).first();
  let opened = 0;
  for (const [index, name] of await distinctOpeners(openers, volume(8, 200))) {
    const opener = openers.nth(index);
    if (!(await opener.isVisible())) continue;
    const before = await main.innerHTML();
    await pressAtOnce(opener);
    await twoFrames(page);
    await server.settle();
    const isOpen = await overlay.isVisible();
    if (isOpen || (await main.innerHTML()) !== before) {
      opened += 1;
      await look(name.slice(0, 40));
    }
    // What opens over a page closes with Escape; a part that unfolds stays, and the page begins again.
    if (isOpen) await page.keyboard.press('Escape');
    await twoFrames(page);
    if ((await overlay.isVisible()) || (await main.innerHTML()) !== before) await begin();
  }
  return opened;
}
