import { after, afterEach, before, describe } from 'node:test';
import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { wideLimits } from '@latchkey/server/testing/gated-world';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { belongingsSuite } from './console/belongings.suite.ts';
import { communitySuite } from './console/community.suite.ts';
import { developerSuite } from './console/developer.suite.ts';

import { everyScreenSuite } from './console/every-screen.suite.ts';
import { formsSuite } from './console/forms.suite.ts';
import { hostileSuite } from './console/hostile.suite.ts';
import { journeysSuite } from './console/journeys.suite.ts';
import { languageSuite } from './console/language.suite.ts';
import { looksSuite } from './console/looks.suite.ts';
import { memberSuite } from './console/member.suite.ts';
import { membersSuite } from './console/members.suite.ts';
import { movingSuite } from './console/moving.suite.ts';
import { operatorSuite } from './console/operator.suite.ts';
import { ruleKindsSuite } from './console/rule-kinds.suite.ts';
import { rulesSuite } from './console/rules.suite.ts';
import { rulesFileSuite } from './console/rules-file.suite.ts';

import { securitySuite } from './console/security.suite.ts';
import { shellSuite } from './console/shell.suite.ts';
import { walletConnectSuite } from './console/wallet-connect.suite.ts';
import { openBrowser, withoutBrowser } from './harness/browser.ts';
import { consoleEnvironment } from './harness/fresh-world.ts';
import { tellLastPage } from './harness/last-page.ts';

// One server and one browser for all of them: starting them costs more than most of the tests.
describe('the console', { skip: withoutBrowser }, () => {
  afterEach(tellLastPage);
  let server: TestServer;
  let browser: Browser;
  let discord: DiscordEmulator;
  let reddit: RedditEmulator;
  let chain: EvmWorld;
  before(async () => {
    discord = await startDiscordEmulator({ seed: 'console', answerWithinMs: 120_000, limits: wideLimits });
    reddit = await startRedditEmulator();
    chain = await startEvmWorld();
    server = await startTestServer(consoleEnvironment({ discord, reddit, chain }));
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await Promise.all([discord?.stop(), reddit?.stop(), chain?.stop()]);
  });
  const world = () => ({ server, browser, discord, reddit, chain });

  describe('around every screen', () => shellSuite(world));
  describe('every screen', () => everyScreenSuite(world));
  describe('every screen with the worst in it', () => hostileSuite(world));
  describe('every screen, to the eye and the hand', () => looksSuite(world));
  describe('every screen in another language', () => languageSuite(world));
  describe('every form', () => formsSuite(world));
  describe('other ways to roles', () => securitySuite(world));
  describe('members and plans', () => membersSuite(world));
  describe('for those who manage communities', () => communitySuite(world));
  describe('what a community has', () => belongingsSuite(world));
  describe('for developers', () => developerSuite(world));
  describe('for the operator', () => operatorSuite(world));
  describe('rules', () => rulesSuite(world));
  describe('rules as a file', () => rulesFileSuite(world));
  describe('rules of every kind', () => ruleKindsSuite(world));
  describe('moving from another bot', () => movingSuite(world));
  describe('for members', () => memberSuite(world));
  describe('for members with WalletConnect', () => walletConnectSuite(world));
  describe('from the first page to the last', () => journeysSuite(world));
});
