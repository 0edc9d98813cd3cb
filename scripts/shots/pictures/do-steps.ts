import type { Step } from '@latchkey/portal/pictures';
import type { Locator, Page } from 'playwright-core';

const patienceMs = 4 * 60_000;
const pressable = ['button', 'tab', 'link', 'menuitem', 'option'] as const;

/** Does what a person does, by the words that stand on the page. */
export async function doSteps(page: Page, steps: readonly Step[]): Promise<void> {
  page.setDefaultTimeout(patienceMs);
  for (const step of steps)
    if ('press' in step) await (await find(page, step.press)).click();
    else if ('type' in step) await field(page, step.into).fill(step.type);
    else if ('choose' in step) await choose(page, field(page, step.under), step.choose);
    else if ('close' in step) {
      await page.keyboard.press('Escape');
      await page.getByRole(step.close).waitFor({ state: 'hidden' });
    } else await page.getByText(step.see).first().waitFor();
}

async function choose(page: Page, list: Locator, option: string): Promise<void> {
  if (await list.evaluate((element) => element.tagName === 'SELECT')) {
    await list.selectOption({ label: option });
    return;
  }
  await list.click();
  await page.getByRole('option', { name: option, exact: true }).first().click();
}

/** What is pressed by exactly this name, or else what has more words to it. */
async function find(page: Page, name: string): Promise<Locator> {
  const labels = page.locator('summary, label, button');
  const whole = labels.filter({ hasText: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) });
  const exact = pressable.reduce((all, role) => all.or(page.getByRole(role, { name, exact: true })), whole);
  const longer = labels.filter({ hasText: name });
  await exact.or(longer).first().waitFor();
  return (await exact.count()) > 0 ? exact.first() : longer.first();
}

function field(page: Page, label: string): Locator {
  const fields = 'input:not([type=radio]), textarea, select';
  const inside = page.locator('label', { hasText: label }).locator(fields);
  return page.getByLabel(label, { exact: true }).and(page.locator(fields)).or(inside).first();
}
