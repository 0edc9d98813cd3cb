import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type DevChain, startDevChain } from '@latchkey/emulators/evm-chain';
import { createPlaygroundWorld } from '@latchkey/emulators/sample-world';
import { listenOutside } from '../../src/run/listen.ts';
import { wideLimits } from './gated-world.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** A server with the sample world of playgrounds, which follows the chain. */
export interface PlaygroundServer {
  server: TestServer;
  discord: DiscordEmulator;
  chain: DevChain;
  close(): Promise<void>;
}

export async function startPlaygroundServer(): Promise<PlaygroundServer> {
  const discord = await startDiscordEmulator({ limits: wideLimits });
  const chain = await startDevChain();
  const server = await startTestServer(
    {
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
      LATCHKEY_FOLLOW_DEPTH: '0',
    },
    { playgroundWorld: createPlaygroundWorld(discord, chain) },
  );
  const listening = listenOutside(server.services, server.config);
  const close = async () => {
    await listening.stop();
    await server.close();
    await Promise.all([discord.stop(), chain.stop()]);
  };
  return { server, discord, chain, close };
}
