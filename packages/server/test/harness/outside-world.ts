import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import {
  type OpenSeaTwin,
  type RedditTwin,
  type SampleMember,
  type SampleWorld,
  sampleMembers,
  startOpenSeaTwin,
  startRedditTwin,
  startSampleWorld,
} from '@latchkey/twins';
import { startTokenproofPhone, type TokenproofPhone } from './tokenproof-phone.ts';

/** The services and the chain around a server, shared by all suites of this process: each suite makes a guild of its own. */
export interface OutsideWorld extends SampleWorld {
  reddit: RedditTwin;
  opensea: OpenSeaTwin;
  phone: TokenproofPhone;
  /** What a server needs to know to reach them. */
  environment: Record<string, string>;
  /** Somebody presses something of an application that answers at once; its owner can then go on with the interaction. */
  press(userId: string, channelId: string): Promise<{ applicationId: string; token: string }>;
}

/** People on Discord whose wallets hold keys on the chain. */
export const people = namePeople(sampleMembers(3));

function namePeople([alice, bob, mallory]: readonly SampleMember[]) {
  if (alice === undefined || bob === undefined || mallory === undefined) throw new Error('There are too few people.');
  return { alice, bob, mallory };
}

let started: Promise<OutsideWorld> | undefined;
const ends: (() => Promise<unknown>)[] = [];

export function outsideWorld(): Promise<OutsideWorld> {
  started ??= start();
  return started;
}

// Belongs to no suite: the suites share the outside world, so it ends with the whole run.
after(async () => {
  await started?.catch(() => undefined);
  await Promise.all(ends.map((end) => end()));
});

async function start(): Promise<OutsideWorld> {
  const sample = await startSampleWorld({ members: 12 });
  ends.push(sample.stop);
  const reddit = await startRedditTwin({ requestsPerTenMinutes: 1_000_000 });
  ends.push(reddit.stop);
  const opensea = await startOpenSeaTwin();
  ends.push(opensea.stop);
  const phone = await startTokenproofPhone();
  ends.push(phone.stop);
  const { discord, chain } = sample;
  liftLimits(sample);
  const endpoint = await answerInteractions();
  ends.push(() => new Promise((resolve) => endpoint.close(resolve)));
  const application = discord.createApplication({ name: 'Pressed' });
  application.interactionsUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  return {
    ...sample,
    reddit,
    opensea,
    phone,
    environment: {
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_PUBLIC_KEY: discord.application.publicKey,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_REDDIT_CLIENT_ID: reddit.clientId,
      LATCHKEY_REDDIT_CLIENT_SECRET: reddit.clientSecret,
      LATCHKEY_REDDIT_API_URL: reddit.url,
      LATCHKEY_REDDIT_AUTH_URL: reddit.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
      LATCHKEY_CHAIN_URLS: `opensea=${opensea.url} tokenproof=${phone.url}`,
      LATCHKEY_SERVICE_KEYS: `opensea=${opensea.state.apiKey} tokenproof=${phone.secret}`,
      // The chain has one endpoint only.
      LATCHKEY_REMOVAL_QUORUM: '1',
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
    },
    press: async (userId, channelId) => {
      const { token } = await discord.press({ userId, channelId, modal: 'form', fields: {}, application });
      return { applicationId: application.id, token };
    },
  };
}

/** These suites are about our own server; how it keeps to Discord's limits is tested elsewhere. */
function liftLimits({ discord: { limits } }: SampleWorld): void {
  const wide = { limit: 1_000_000, windowSeconds: 1 };
  for (const name of Object.keys(limits.buckets) as (keyof typeof limits.buckets)[]) limits.buckets[name] = wide;
  limits.globalPerSecond = 1_000_000;
  limits.invalidRequests = wide;
}

async function answerInteractions(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 4, data: { content: 'Wait a moment.' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
