import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { ConsoleWorld } from './console.ts';

/** What a server needs to know of the platforms and the chain around it. */
export function consoleEnvironment({
  discord,
  reddit,
  chain,
}: Pick<ConsoleWorld, 'discord' | 'reddit' | 'chain'>): Record<string, string> {
  return {
    LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
    LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
    LATCHKEY_DISCORD_CLIENT_SECRET: discord.application.clientSecret,
    LATCHKEY_DISCORD_API_URL: discord.url,
    LATCHKEY_REDDIT_CLIENT_ID: reddit.clientId,
    LATCHKEY_REDDIT_CLIENT_SECRET: reddit.clientSecret,
    LATCHKEY_REDDIT_API_URL: reddit.url,
    LATCHKEY_REDDIT_AUTH_URL: reddit.url,
    LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
  };
}

/** Gives each test of the suite a server with an empty database, beside the same browser, platforms and chain. */
export function freshEach(
  shared: () => ConsoleWorld,
  settings: Readonly<Record<string, string>> = {},
): () => ConsoleWorld {
  let server: TestServer | undefined;
  beforeEach(async () => {
    server = await startTestServer({ ...consoleEnvironment(shared()), ...settings });
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  return () => {
    assert.ok(server, 'a test is running');
    return { ...shared(), server };
  };
}
