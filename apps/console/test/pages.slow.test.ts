import { after, afterEach, before, describe } from 'node:test';
import { startTwitterEmulator, type TwitterEmulator } from '@latchkey/emulators/twitter';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { accountSuite } from './account.suite.ts';
import { devvitSuite } from './devvit.suite.ts';
import { foreignPagesSuite } from './foreign-pages.suite.ts';
import { openBrowser, withoutBrowser } from './harness/browser.ts';
import { printLastPage } from './harness/last-page.ts';
import { turns } from './harness/turns.ts';
import { joinSuite } from './join.suite.ts';
import { matrixSuite } from './matrix.suite.ts';
import { oauthSuite } from './oauth.suite.ts';
import { passkeysSuite } from './passkeys.suite.ts';
import { walletsSuite } from './wallets.suite.ts';

// One server and one browser for all of them: starting them costs more than most of the tests.
describe('the pages of a server', { skip: withoutBrowser }, () => {
  afterEach(printLastPage);
  let server: TestServer;
  let browser: Browser;
  let x: TwitterEmulator;
  let people = 0;
  before(async () => {
    x = await startTwitterEmulator({ clock: () => 0 });
    x.state.users.push({ id: '42', username: 'ann_x', followers: 500 });
    server = await startTestServer({
      LATCHKEY_EXTRA_HOSTS: 'other.localhost',
      LATCHKEY_X_CLIENT_ID: x.state.app.clientId,
      LATCHKEY_X_CLIENT_SECRET: x.state.app.clientSecret,
      LATCHKEY_X_API_URL: x.url,
      LATCHKEY_X_AUTH_URL: x.url,
    });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await x?.stop();
  });
  const running = () => ({ server, browser, x });
  const newUserId = () => {
    people += 1;
    return `DIS#USER#${people}`;
  };

  turns.describe('that connect wallets', () => walletsSuite(running, newUserId));
  turns.describe('that keep passkeys', () => passkeysSuite(running, newUserId));
  turns.describe('that show an account, and ask before a browser is logged out', () =>
    accountSuite(running, newUserId),
  );
  turns.describe('that log people in to applications', () => oauthSuite(running));
  turns.describe('that Telegram opens before a person is in', () => joinSuite(() => browser));
  turns.describe('of a Matrix space', () => matrixSuite(() => browser));
  turns.describe('of a subreddit with a Devvit app', () => devvitSuite(() => browser));
  turns.describe('beside those of other sites', () => foreignPagesSuite(running));
});
