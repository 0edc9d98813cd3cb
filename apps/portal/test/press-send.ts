import type { Page } from 'playwright-core';
import type { OperationModel } from '../reference/model.ts';

/**
 * Opens the page of an operation in a tab that is on the site already, and presses Send, as a reader with these values in the tab does.
 * Returns the status: 0 if the page refused to send, -1 if there was no answer, and 302 for any redirect, which browsers hide.
 */
export async function pressSend(
  page: Page,
  siteUrl: string,
  { anchor, id, method, path }: OperationModel,
  kept: Readonly<Record<string, string>>,
): Promise<number> {
  await page.evaluate((entries) => {
    for (const [key, value] of Object.entries(entries)) sessionStorage.setItem(key, value);
  }, kept);
  const address = anchor.replace(/^tag\/(.+)\/operation\//, '/apis/$1/');
  await page.goto(`${siteUrl}${address}?try=${id}`);
  await page.locator('[data-live="loaded"]').waitFor();
  const console = page.getByRole('region', { name: `Console for ${method} ${path}`, exact: true });
  await console.and(page.locator('[aria-busy=false]')).waitFor();
  await console.getByRole('button', { name: 'Send' }).click();
  const [question, problem, status] = [
    console.getByRole('button', { name: /^Yes, (?:send|delete)$/ }),
    console.locator('[data-problem=true]').first(),
    console.locator('[data-good] strong'),
  ];
  await question.or(problem).or(status).first().waitFor();
  if (await question.isVisible()) await question.click();
  await problem.or(status).first().waitFor();
  if (!(await status.isVisible())) return 0;
  const words = await status.innerText();
  return words === 'Redirect' ? 302 : Number.parseInt(words, 10) || -1;
}
