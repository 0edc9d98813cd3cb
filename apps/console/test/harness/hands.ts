import assert from 'node:assert/strict';
import { volume } from '@latchkey/test-kit';
import type { Locator, Page } from 'playwright-core';

/** How a person uses a page: by pointing or by the keyboard alone. A journey is written once, and gone in both ways. */
interface Hands {
  /** Follows a link, presses a button, picks a tab or an entry of a menu. */
  press(target: Locator): Promise<void>;
  /** Types into a field, in the place of what is there. */
  type(field: Locator, text: string): Promise<void>;
  /** Picks an entry of a list that opens. */
  choose(list: Locator, option: string): Promise<void>;
  /** How often a mouse was clicked, fields that were typed into included; none by keyboard. */
  clicks(): number;
  /** How long a person takes for it who reads for a while before each step and types slowly, whatever the machine does. */
  seconds(): number;
}

const secondsEach = { step: 10, letter: 0.5 } as const;

/** What people should not have to type: ids of platforms and of ours. */
const idForms = [/\d{15,}/, /^(DIS|TEL|RED)#/, /^[0-9a-f]{8}-[0-9a-f]{4}-/];

function refuseIds(text: string): void {
  for (const form of idForms) assert.doesNotMatch(text, form, 'a person types no ids');
}

function byMouse(page: Page): Hands {
  let [clicks, letters] = [0, 0];
  const click = async (target: Locator) => {
    clicks += 1;
    // What is drawn of a choice in a row is its label.
    const isChoice = await target.evaluate((element) => element.matches('[type=radio]'));
    await (isChoice ? page.locator(`label[for="${await target.getAttribute('id')}"]`) : target).click();
  };
  return {
    press: click,
    type: async (field, text) => {
      refuseIds(text);
      letters += text.length;
      await click(field);
      await field.fill(text);
    },
    choose: async (list, option) => {
      await click(list);
      await click(page.getByRole('option', { name: option }));
    },
    clicks: () => clicks,
    seconds: () => clicks * secondsEach.step + letters * secondsEach.letter,
  };
}

function byKeyboard(page: Page): Hands {
  let [steps, letters] = [0, 0];
  return {
    press: async (target) => {
      steps += 1;
      await reach(page, target);
      const type = await target.getAttribute('type');
      // An arrow key moves to a choice and chooses it.
      if (type !== 'radio') await page.keyboard.press(type === 'checkbox' ? 'Space' : 'Enter');
    },
    type: async (field, text) => {
      refuseIds(text);
      steps += 1;
      letters += text.length;
      await reach(page, field);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    },
    choose: async (list, option) => {
      steps += 2;
      await reach(page, list);
      await page.keyboard.press('ArrowDown');
      const wanted = page.getByRole('option', { name: option });
      await wanted.waitFor();
      // Long lists are searched by typing.
      if (await list.isEditable()) {
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.insertText(option);
      }
      for (let presses = 0; presses < mostPresses; presses += 1) {
        if ((await wanted.getAttribute('data-combobox-selected')) !== null) break;
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    },
    clicks: () => 0,
    seconds: () => steps * secondsEach.step + letters * secondsEach.letter,
  };
}

/** Both ways to go, with their names for the titles of tests. */
export const ways: readonly (readonly [string, (page: Page) => Hands])[] = [
  ['by keyboard alone', byKeyboard],
  ['by mouse', byMouse],
];
/** The keyboard, which asks more of a page, and in the deep run the mouse as well. */
export const usualMethods = ways.slice(0, volume(1, 2));

/** Menus and tabs are one stop each: arrows move inside of them. */
const inMenu = '[role=menuitem]';
const inRow = '[role=tab], [type=radio]';
const mostPresses = 200;

/** Moves the focus by the keyboard until something has it, and fails if no key leads there. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  const matches = (form: string) => target.evaluate((element, wanted) => element.matches(wanted), form);
  if (await matches(inMenu)) return pressUntil(page, 'ArrowDown', target);
  if (await matches(inRow)) {
    const row = target.locator('xpath=ancestor::*[@role="tablist" or @role="radiogroup"][1]');
    await tabTo(page, row.locator('[role=tab][aria-selected=true], [type=radio]:checked'));
    return pressUntil(page, 'ArrowRight', target);
  }
  await target.waitFor();
  return tabTo(page, target);
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  const isBefore = await target.evaluate((element) => {
    const from = document.activeElement ?? document.body;
    return (from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  });
  await pressUntil(page, isBefore ? 'Shift+Tab' : 'Tab', target);
}

async function pressUntil(page: Page, key: string, target: Locator): Promise<void> {
  // To look for something by its role reads the whole page, so what was found is asked as long as it is there.
  let found = await target.elementHandle();
  for (let presses = 0; presses < mostPresses; presses += 1) {
    const state = await found?.evaluate((element) => ({
      isFocused: element === document.activeElement,
      isThere: element.isConnected,
    }));
    if (state?.isFocused) return;
    if (state?.isThere) await page.keyboard.press(key);
    else found = await target.elementHandle();
  }
  assert.fail(`${key} does not lead to ${target}`);
}
