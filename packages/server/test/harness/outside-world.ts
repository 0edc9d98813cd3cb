import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import {
  deployLock,
  deploySafeContracts,
  deployWaitingList,
  deployWalletRegistry,
} from '@latchkey/emulators/evm-chain';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { type SampleMember, type SampleWorld, sampleMembers, startSampleWorld } from '@latchkey/emulators/sample-world';
import { type StripeEmulator, startStripeEmulator } from '@latchkey/emulators/stripe';
import { startTwitterEmulator, type TwitterEmulator } from '@latchkey/emulators/twitter';
import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** The external services and the chain, shared by all suites of this process: each suite creates its own guild. */
export interface OutsideWorld extends SampleWorld {
  reddit: RedditEmulator;
  stripe: StripeEmulator;
  x: TwitterEmulator;
  /** A lock whose keys buy a plan. */
  lock: string;
  secrets: typeof sharedSecrets;
  /** The settings with which a server reaches them. */
  environment: Record<string, string>;
  /** A user presses a button of an application that responds at once; its owner can then continue the interaction. */
  press(userId: string, channelId: string): Promise<{ applicationId: string; token: string }>;
}

/** Users on Discord whose wallets hold keys on the chain. */
export const people = namePeople(sampleMembers(3));

function namePeople([alice, bob, mallory]: readonly SampleMember[]) {
  if (alice === undefined || bob === undefined || mallory === undefined)
    throw new Error('There are too few sample members.');
  return { alice, bob, mallory };
}

/** The secrets that the server shares with partners, and the keys that write to the registry and pay for wallets. */
const sharedSecrets = {
  registrarKey: keccak256(toHex('registrar of the outside world')),
  payerKey: keccak256(toHex('payer of the outside world')),
  snapshot: 'snapshot-webhook-of-the-outside-world',
  paymaster: 'paymaster-of-the-outside-world',
};

let started: Promise<OutsideWorld> | undefined;
const ends: (() => Promise<unknown>)[] = [];

export function outsideWorld(): Promise<OutsideWorld> {
  started ??= start();
  return started;
}

export async function endOutsideWorld(): Promise<void> {
  await started?.catch(() => undefined);
  await Promise.all(ends.map((end) => end()));
}

// Belongs to no suite: the suites share the outside world, so it ends with the whole run. A process that tests have
// started is not a test run, and registering a hook would start one.
if (process.send === undefined) after(endOutsideWorld);

async function start(): Promise<OutsideWorld> {
  const sample = await startSampleWorld({ members: 12 });
  ends.push(sample.stop);
  const reddit = await startRedditEmulator({ requestsPerTenMinutes: 1_000_000 });
  ends.push(reddit.stop);
  const stripe = await startStripeEmulator({ webhookSecret: 'whsec_of_the_outside_world' });
  ends.push(stripe.stop);
  // Its clock is fixed: what was approved on X at the start of a suite is used much later.
  const x = await startTwitterEmulator({ clock: () => 0 });
  ends.push(x.stop);
  x.state.users.push({ id: '4200', username: 'alice_x', followers: 5 });
  const { discord, chain, near, opensea, tokenproof } = sample;
  liftLimits(sample);
  const endpoint = await answerInteractions();
  ends.push(() => new Promise((resolve) => endpoint.close(resolve)));
  const application = discord.createApplication({ name: 'Pressed' });
  application.interactionsUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  return {
    ...sample,
    reddit,
    stripe,
    x,
    lock: await deployLock(chain, { name: 'Members', keyPriceWei: 1000n, durationSeconds: 2_592_000n }),
    secrets: sharedSecrets,
    environment: {
      ...(await partnerEnvironment(sample, stripe)),
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_CLIENT_SECRET: discord.application.clientSecret,
      LATCHKEY_DISCORD_PUBLIC_KEY: discord.application.publicKey,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_REDDIT_CLIENT_ID: reddit.clientId,
      LATCHKEY_REDDIT_CLIENT_SECRET: reddit.clientSecret,
      LATCHKEY_REDDIT_API_URL: reddit.url,
      LATCHKEY_REDDIT_AUTH_URL: reddit.url,
      LATCHKEY_X_CLIENT_ID: x.state.app.clientId,
      LATCHKEY_X_CLIENT_SECRET: x.state.app.clientSecret,
      LATCHKEY_X_API_URL: x.url,
      LATCHKEY_X_AUTH_URL: x.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
      LATCHKEY_PUBLIC_RPC_URLS: `${chain.chainId}=https://node.example`,
      LATCHKEY_CHAIN_URLS: `opensea=${opensea.url} tokenproof=${tokenproof.url} near:${near.chainId}=${near.url}`,
      LATCHKEY_SERVICE_KEYS: [
        `opensea=${opensea.state.apiKey}`,
        `tokenproof=${tokenproof.secret}`,
        `snapshot-webhook=${sharedSecrets.snapshot}`,
        `paymaster=${sharedSecrets.paymaster}`,
      ].join(' '),
      // The chain has only one endpoint.
      LATCHKEY_REMOVAL_QUORUM: '1',
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
    },
    press: async (userId, channelId) => {
      const { token } = await discord.press({ userId, channelId, modal: 'form', fields: {}, application });
      return { applicationId: application.id, token };
    },
  };
}

/** Payments, and the contracts on the chain for hosted wallets and the waiting list. */
async function partnerEnvironment({ chain }: SampleWorld, stripe: StripeEmulator): Promise<Record<string, string>> {
  const { registrarKey, payerKey } = sharedSecrets;
  const registrar = privateKeyToAccount(registrarKey).address;
  const waitingList = await deployWaitingList(chain, registrar);
  await deploySafeContracts(chain, privateKeyToAccount(payerKey).address);
  return {
    LATCHKEY_STRIPE_SECRET_KEY: stripe.secretKey,
    LATCHKEY_STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    LATCHKEY_STRIPE_URL: stripe.url,
    LATCHKEY_REGISTRY_CHAIN_ID: String(chain.chainId),
    LATCHKEY_REGISTRY_ADDRESS: await deployWalletRegistry(chain, registrar),
    LATCHKEY_REGISTRAR_KEY: registrarKey,
    LATCHKEY_REGISTRY_SPEND_PER_DAY: '100',
    LATCHKEY_REGISTRY_SPEND_PER_CALLER: '1',
    LATCHKEY_WALLET_CHAIN_ID: String(chain.chainId),
    LATCHKEY_WALLET_PAYER_KEY: payerKey,
    LATCHKEY_WALLET_SPEND_PER_DAY: '100',
    LATCHKEY_WALLET_SPEND_PER_CALLER: '10',
    LATCHKEY_SPENDERS: 'people apps',
    LATCHKEY_SIGNATURES_PER_MINUTE: '10000',
    LATCHKEY_SIGNATURES_PER_DAY: '1000000',
    LATCHKEY_WAITING_LIST_CONTRACTS: `${chain.chainId}=${waitingList}`,
    LATCHKEY_PAYMASTER_CALLS: `${chain.chainId}=${waitingList}`,
    LATCHKEY_PAYMASTER_DAILY_LIMIT: '1000000',
    LATCHKEY_PAYMASTER_TOTAL_DAILY_LIMIT: '1000000',
  };
}

/** These suites are about our own server; compliance with Discord's limits is tested elsewhere. */
function liftLimits({ discord: { limits } }: SampleWorld): void {
  const wide = { limit: 1_000_000, windowSeconds: 1 };
  for (const name of Object.keys(limits.buckets) as (keyof typeof limits.buckets)[]) limits.buckets[name] = wide;
  limits.globalPerSecond = 1_000_000;
  limits.invalidRequests = wide;
  // What was approved at the start of a suite is used much later.
  limits.codeSeconds = 24 * 3600;
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
