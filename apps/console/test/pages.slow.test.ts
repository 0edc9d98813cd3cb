import { after, before, describe } from 'node:test';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { accountSuite } from './account.suite.ts';
import { openBrowser, withoutBrowser } from './harness/browser.ts';
import { oauthSuite } from './oauth.suite.ts';
import { passkeysSuite } from './passkeys.suite.ts';
import { walletsSuite } from './wallets.suite.ts';

// One server and one browser for all of them: starting them costs more than most of the tests.
describe('the pages of a server', { skip: withoutBrowser }, () => {
  let server: TestServer;
  let browser: Browser;
  let people = 0;
  before(async () => {
    server = await startTestServer({ LATCHKEY_EXTRA_HOSTS: 'other.localhost' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const running = () => ({ server, browser });
  const newUserId = () => {
    people += 1;
    return `DIS#USER#${people}`;
  };

  describe('that connect wallets', () => walletsSuite(running, newUserId));
  describe('that keep passkeys', () => passkeysSuite(running, newUserId));
  describe('that show an account', () => accountSuite(running, newUserId));
  describe('that log people in to applications', () => oauthSuite(running));
});
