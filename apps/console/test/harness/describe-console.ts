import { after, afterEach, before, describe } from 'node:test';
import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { wideLimits } from '@latchkey/server/testing/gated-world';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { openBrowser, withoutBrowser } from './browser.ts';
import type { ConsoleWorld } from './console.ts';
import { consoleEnvironment } from './fresh-world.ts';
import { printLastPage } from './last-page.ts';
import { turns } from './turns.ts';

/** Suites with one server and one browser: starting them costs more than most of the tests. */
export function describeConsole(title: string, suites: Record<string, (world: () => ConsoleWorld) => void>): void {
  describe(title, { skip: withoutBrowser }, () => {
    afterEach(printLastPage);
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
    for (const [name, suite] of Object.entries(suites)) turns.describe(name, () => suite(world));
  });
}
