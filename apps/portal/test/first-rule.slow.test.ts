import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import { volume } from '@latchkey/test-kit';
import { siteForSuite, withoutBrowser } from './site.ts';

const skip = volume(0, 1) === 1 ? withoutBrowser : 'for npm run test:deep';

describe('a newcomer', { skip }, () => {
  const site = siteForSuite();

  test('gets from the introduction to the console, and does there what the page says', async () => {
    await using data = await makeDataFolder();
    const [port, mailPort, sandboxPort] = [await freePorts(), await freePorts(), await freePorts()];
    await using latchkey = startLatchkey(['start'], {
      LATCHKEY_DATA_DIR: data.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_PORTAL: 'false',
      LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
      LATCHKEY_SANDBOX: 'true',
      // The simulators take the ports from this one on.
      LATCHKEY_SANDBOX_PORT: String(sandboxPort),
    });
    await using opened = await site.visit('/');
    const { page } = opened;
    await page.getByRole('main').locator('a[href="/docs/intro"]').first().click();
    await page.getByRole('heading', { name: 'Look at the console first' }).waitFor();
    const [printed = ''] = await page
      .locator('strong', { hasText: 'the owner of the sample community' })
      .allInnerTexts();
    const [, link = ''] = await latchkey.printed(new RegExp(`${printed} +(\\S+)`));
    assert.equal(await page.getByRole('tab', { name: 'In the console', selected: true }).count(), 1);
    const steps = page.getByRole('tabpanel').filter({ hasText: 'Review and save' }).getByRole('listitem');
    const wordsOf = (step: number) => steps.nth(step).locator('strong').allInnerTexts();
    const [[rules = '', add = ''], [kind = '', token = ''], [review = '']] = [
      await wordsOf(0),
      await wordsOf(1),
      await wordsOf(2),
    ];
    const [typed = ''] = await steps.nth(1).locator('code').allInnerTexts();

    await latchkey.printed(/Ctrl-C stops everything/);
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Sample community' }).click();
    await page.getByRole('link', { name: rules, exact: true }).first().click();
    await page.getByRole('link', { name: add, exact: true }).click();
    await page.getByRole('combobox', { name: 'Members get' }).click();
    await page.getByRole('option', { name: /^Whale/ }).click();
    await page.getByRole('combobox', { name: 'What this condition asks for' }).click();
    await page.getByRole('option', { name: kind, exact: true }).click();
    await page.getByLabel(token, { exact: true }).fill(typed);
    await page
      .getByRole('list', { name: 'Tokens found' })
      .getByRole('button', { name: new RegExp(typed) })
      .click();
    await page.getByRole('button', { name: review }).click();
    await page.getByRole('dialog').getByText('gain', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
    await page.getByRole('heading', { name: /^New rule: \d+ members gain Whale$/ }).waitFor();
  });
});
