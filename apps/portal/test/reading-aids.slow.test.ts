import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { siteForSuite, withoutBrowser } from './site.ts';

const checkRoles = 'tag/access-control/operation/checkRoles';

describe('what helps readers find their way', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  const rowOf = (page: Page, path: string) => page.locator(`[id="${checkRoles}/body/${path}"]`);

  test('nested fields are folded, open with a click, and are all there without scripts', async () => {
    await using opened = await site.visit('/apis/access-control/checkRoles');
    const { page, faults } = opened;
    await rowOf(page, 'rules').waitFor();
    assert.equal(await rowOf(page, 'rules.roleId').isVisible(), false);
    await rowOf(page, 'rules')
      .getByRole('button', { name: /^Show \d+ fields of rules$/ })
      .click();
    await rowOf(page, 'rules.roleId').waitFor();
    await rowOf(page, 'rules')
      .getByRole('button', { name: /^Hide \d+ fields of rules$/ })
      .click();
    await rowOf(page, 'rules.roleId').waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
    await using plain = await site.visit('/apis/access-control/checkRoles', {
      javaScriptEnabled: false,
      startsUp: false,
    });
    await rowOf(plain.page, 'rules.roleId').waitFor();
    assert.equal(await rowOf(plain.page, 'rules').getByRole('button').isVisible(), false);
  });

  test('on paper and without scripts, all tabs are shown with their labels', async () => {
    const shown = (page: Page) =>
      page.getByRole('tabpanel', { includeHidden: true }).evaluateAll((panels) => ({
        hidden: panels.filter((panel) => getComputedStyle(panel).display === 'none').length,
        labels: new Set(panels.map((panel) => getComputedStyle(panel, '::before').content)).size,
      }));
    await using opened = await site.visit('/docs/intro');
    assert.ok((await shown(opened.page)).hidden > 0);
    await opened.page.emulateMedia({ media: 'print' });
    assert.deepEqual(await shown(opened.page), { hidden: 0, labels: 5 });
    await opened.page.emulateMedia({ media: null });
    await using plain = await site.visit('/docs/intro', { javaScriptEnabled: false, startsUp: false });
    // Scripts of the test still run, in a world of their own.
    assert.deepEqual(await shown(plain.page), { hidden: 0, labels: 5 });
  });

  test('the address of a nested field unfolds its parents', async () => {
    await using opened = await site.visit(`/apis/access-control/checkRoles#${checkRoles}/body/rules.roleId`);
    await rowOf(opened.page, 'rules.roleId').waitFor();
    await rowOf(opened.page, 'rules.type').waitFor();
  });

  test('a body with several variants shows one of them', async () => {
    await using opened = await site.visit('/apis/oauth2/token');
    const body = opened.page.getByRole('group', { name: /^Body in one of these forms$/ });
    const field = opened.page.locator('[id$="/body/refresh_token"]');
    assert.equal(await field.isVisible(), false);
    await body.getByRole('button', { name: 'Refresh token' }).click();
    await field.waitFor();
  });

  test('our own operations are listed by area, and the menu has a page for each', async () => {
    await using opened = await site.visit('/apis/latchkey');
    const { page, faults } = opened;
    const main = page.getByRole('main');
    assert.ok((await main.getByRole('heading', { level: 2 }).count()) >= 8);
    await main.getByRole('link', { name: 'Rules in the console', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Rules in the console' }).waitFor();
    await main.getByRole('link', { name: /^POST \/latchkey\/communities\/\{communityId\}\/rules / }).click();
    await page.waitForURL('**/apis/latchkey/createCommunityRule');
    assert.deepEqual(faults, []);
  });

  test('the address that an operation had on the page of its resource leads to its own page', async () => {
    await using opened = await site.visit('/apis/latchkey#tag/latchkey/operation/createCommunityRule');
    await opened.page.waitForURL('**/apis/latchkey/createCommunityRule');
    await using field = await site.visit(`/apis/access-control?a=1#${checkRoles}/body/rules.roleId`);
    await field.page.waitForURL(`**/apis/access-control/checkRoles?a=1#${checkRoles}/body/rules.roleId`);
    await rowOf(field.page, 'rules.roleId').waitFor();
  });

  test('an empty search offers tasks and recently read pages, and can clear them', async () => {
    await using opened = await site.visit('/help-docs/wallets/verify-your-wallet');
    const { page, faults } = opened;
    const dialog = page.getByRole('dialog', { name: 'Search', exact: true });
    await page.keyboard.press('Control+k');
    await dialog
      .getByRole('region', { name: 'What do you want to do?' })
      .getByRole('link', { name: 'Create a rule' })
      .click();
    await page.waitForURL('**/how-to-create-a-tgr');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const recent = dialog.getByRole('region', { name: 'Recent pages' });
    await recent.getByRole('link', { name: 'Verify your wallet' }).waitFor();
    await dialog.getByRole('button', { name: 'Forget them' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await dialog.getByRole('region', { name: 'What do you want to do?' }).waitFor();
    assert.equal(await recent.count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a question without an answer comes with the closest pages, and a follow-up keeps the subject', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const panel = page.getByRole('dialog', { name: 'Ask the documentation' });
    const ask = async (question: string) => {
      await panel.getByRole('textbox').fill(question);
      await page.keyboard.press('Enter');
    };
    await ask('Which wallet did my grandmother buy in Tokyo yesterday?');
    await panel.getByRole('region', { name: 'Closest pages' }).getByRole('link').first().waitFor();
    assert.equal(await panel.getByRole('blockquote').count(), 0);
    await ask('How often are balances checked again?');
    await panel.getByRole('blockquote').first().waitFor();
    await ask('and can I change it?');
    await panel.getByText('About: How often are balances checked again?').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a sample shows its language, has a copy button that covers none of it, when it ran, and links to where it can be run', async () => {
    await using opened = await site.visit('/docs/intro');
    const { page, faults } = opened;
    const sample = page
      .getByRole('figure')
      .filter({ has: page.getByText('/evm/31337/tokens') })
      .first();
    await page.getByRole('tab', { name: 'With curl' }).click();
    const label = sample.locator('[data-language^="Shell"]');
    await label.waitFor();
    assert.match((await label.getAttribute('data-language')) ?? '', /ran on \d{4}-\d{2}-\d{2} with \d+\.\d+\.\d+$/);
    const code = await sample.locator('pre').boundingBox();
    const copy = await sample.getByRole('button', { name: 'Copy' }).boundingBox();
    assert.ok(code !== null && copy !== null && copy.y + copy.height <= code.y);
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await page.getByText('response = requests.get(').first().waitFor();
    await page.getByRole('tab', { name: 'curl', exact: true }).first().click();
    await sample.getByRole('link', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Close: GET /evm/{network}/tokens' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('the requests in tabs for programmers are in three languages too', async () => {
    await using opened = await site.visit('/help-docs/errors/Permissions');
    await opened.page.getByRole('tab', { name: 'For programmers' }).click();
    for (const language of ['TypeScript', 'Python', 'curl'])
      await opened.page.getByRole('tab', { name: language }).first().click();
  });

  test('a page about what the operator has not set up is one line until it is opened', async () => {
    await using opened = await site.visit('/dao/token/claim');
    const { page } = opened;
    const line = page.getByRole('main').getByText('This server has no DAO and no governance token.');
    await line.getByRole('link', { name: 'Configure these pages' }).waitFor();
    const heading = page.locator('h2#how-it-works');
    assert.equal(await heading.isVisible(), false);
    await page.getByText('How it works where there is one').click();
    await heading.waitFor();
  });

  test('third-party apps are labelled as such', async () => {
    await using opened = await site.visit('/help-docs/marketplace/apps/give');
    const crumbs = opened.page.getByRole('navigation', { name: 'Breadcrumbs' });
    await crumbs.getByText('Third-party apps').waitFor();
    await using builtIn = await site.visit('/help-docs/marketplace/apps/kudos');
    assert.equal(
      await builtIn.page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Third-party').count(),
      0,
    );
  });
});
