import type { Page } from 'playwright-core';

/** Begins to carry a step over to another browser, and answers with the link that the QR code holds. */
export async function carryOver(page: Page): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/latchkey/handoffs'));
  await page.getByRole('button', { name: 'Use a wallet on your phone' }).click();
  const { url } = await (await answered).json();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  return url;
}

export async function readCode(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Go back to the page where you started' }).waitFor();
  return (await page.locator('output').innerText()).replaceAll(/\s/g, '');
}
