import assert from 'node:assert/strict';
import type { EvmWorld } from '@latchkey/chains/testing';
import type { DiscordEmulator } from '@latchkey/emulators/discord';
import type { RedditEmulator } from '@latchkey/emulators/reddit';
import type { TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';
import { openPage, type Watch, type WatchedPage } from './browser.ts';

/** A server with its console, and a browser to open it in. */
export interface ConsoleWorld {
  server: TestServer;
  browser: Browser;
  /** Discord, as the server knows it. */
  discord: DiscordEmulator;
  reddit: RedditEmulator;
  /** A development chain that the server reads. */
  chain: EvmWorld;
}

export interface ConsolePage extends WatchedPage {
  /** Goes to a screen by its path below /console, and waits for its title. */
  goTo(path: string): Promise<void>;
}

interface Who extends Watch {
  /** The headers of the credential that the session is made from; without it there is no session. */
  as?: Record<string, string>;
}

interface Place extends Who {
  /** Where the page begins; the start of the console unless told. */
  path?: string;
}

/** The headers of a person who has just signed in with their wallet. */
export async function asPerson({ server }: ConsoleWorld, userId: string): Promise<Record<string, string>> {
  return { authorization: await server.aeToken(userId) };
}

export function asOperator({ server }: ConsoleWorld): Record<string, string> {
  return { 'x-api-key': server.adminKey };
}

/** Opens the console in a context of its own, signed in as a person or the operator. */
export async function openConsole(
  world: Pick<ConsoleWorld, 'server' | 'browser'>,
  { path = '/', ...who }: Place = {},
): Promise<ConsolePage> {
  const opened = await signIn(world, who);
  await opened.goTo(path);
  return opened;
}

/** A page in a context of its own, signed in, that has not gone anywhere yet. */
export async function signIn(
  world: Pick<ConsoleWorld, 'server' | 'browser'>,
  { as, ...watch }: Who,
): Promise<ConsolePage> {
  const opened = await openPage(world.browser, { reducedMotion: 'reduce', ...watch });
  const { page } = opened;
  if (as !== undefined) {
    const answer = await page.request.post(`${world.server.url}/latchkey/session`, {
      headers: { ...as, 'x-latchkey-console': '1' },
    });
    assert.ok(answer.ok(), await answer.text());
  }
  const goTo = async (wanted: string) => {
    await page.goto(`${world.server.url}/console${wanted}`);
    await page.locator('h1').waitFor();
  };
  return { ...opened, goTo };
}
