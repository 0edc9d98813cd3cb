import { after, before, describe } from 'node:test';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { membersSuite } from './console/members.suite.ts';
import { shellSuite } from './console/shell.suite.ts';
import { openBrowser, withoutBrowser } from './harness/browser.ts';

// One server and one browser for all of them: starting them costs more than most of the tests.
describe('the console', { skip: withoutBrowser }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startTestServer();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const world = () => ({ server, browser });

  describe('around every screen', () => shellSuite(world));
  describe('members and plans', () => membersSuite(world));
});
