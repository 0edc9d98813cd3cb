import {
  type Abi,
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  parseEther,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type DiscordEmulator, startDiscordEmulator } from '../discord/index.ts';
import {
  type DevChain,
  devChain,
  devTransport,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  startDevChain,
} from '../evm-chain/index.ts';
import type { EmulatorAddress } from '../http-emulator/index.ts';
import { type NearChain, nearCall, startNearChain } from '../near-chain/index.ts';
import { type RedditEmulator, startRedditEmulator } from '../reddit/index.ts';
import { type StripeEmulator, startStripeEmulator } from '../stripe/index.ts';
import { startTelegramEmulator, type TelegramEmulator } from '../telegram/index.ts';
import { membersElsewhere, telegramIds, usualMembers } from './accounts.ts';
import { fillGuild, sampleGuild, sampleSubreddit } from './guild.ts';
import { type SampleMember, sampleMember, sampleMembers } from './members.ts';
import { fillOpenSea, type SampleServices, type SampleServicesOptions, startSampleServices } from './services.ts';

export interface SampleWorldOptions {
  /**
   * Discord listens on this port; the chain, Telegram, Reddit, NEAR, Stripe, Snapshot, OpenSea and tokenproof on the eight
   * ports above it. 0 picks free ports.
   */
  port?: number;
  host?: string;
  members?: number;
  /** The credentials of the guild's bot. */
  bot?: { id: string; token: string; clientSecret?: string };
  /** The credentials of the Telegram bot. */
  telegramBot?: { token: string; username: string };
  /** The credentials of the Reddit application. */
  redditApp?: { clientId: string; clientSecret: string };
  /** The credentials of the Stripe account. */
  stripeAccount?: { secretKey: string; webhookSecret: string };
  /** The keys of the services around the community. */
  services?: SampleServicesOptions;
  /** The emulator's signing key is derived from it. Use an unguessable value if the API is publicly reachable. */
  seed?: string;
}

/**
 * The outside world of a sample community: a guild on Discord, a chain on which its members hold tokens, the accounts of some of them on
 * Telegram and Reddit, a NEAR network with a market, a Stripe account, and Snapshot, OpenSea and tokenproof.
 */
export interface SampleWorld extends SampleServices {
  discord: DiscordEmulator;
  chain: DevChain;
  telegram: TelegramEmulator;
  reddit: RedditEmulator;
  near: NearChain;
  stripe: StripeEmulator;
  guild: typeof sampleGuild;
  members: readonly SampleMember[];
  /** The wallet that deployed the tokens of the chain. */
  deployer: Pick<SampleMember, 'address' | 'sign'>;
  /** A user with a wallet who is not in the guild yet. */
  visitor: SampleMember;
  stop(): Promise<void>;
}

export async function startSampleWorld(options: SampleWorldOptions = {}): Promise<SampleWorld> {
  const { port = 0, host = '127.0.0.1', members: count = usualMembers, seed = 'sample', bot } = options;
  const above = (steps: number) => (port === 0 ? 0 : port + steps);
  const started: { stop(): Promise<unknown> }[] = [];
  const stop = async () => void (await Promise.all(started.map((emulator) => emulator.stop())));
  const keep = async <Emulator extends { stop(): Promise<unknown> }>(
    starting: Promise<Emulator>,
  ): Promise<Emulator> => {
    const emulator = await starting;
    started.push(emulator);
    return emulator;
  };
  try {
    const application = { name: 'Latchkey', ...bot };
    const discord = await keep(startDiscordEmulator({ port, host, seed, application }));
    const chain = await keep(startDevChain({ port: above(1), host }));
    const telegramBot = { name: 'Latchkey', ...options.telegramBot };
    const telegram = await keep(startTelegramEmulator({ port: above(2), host, seed, bot: telegramBot }));
    const reddit = await keep(startRedditEmulator({ port: above(3), host, secret: seed, ...options.redditApp }));
    const near = await keep(startSampleNear({ port: above(4), host }));
    const stripe = await keep(startStripeEmulator({ port: above(5), host, seed, ...options.stripeAccount }));
    const services = await startSampleServices(
      keep,
      {
        snapshot: { port: above(6), host },
        opensea: { port: above(7), host },
        tokenproof: { port: above(8), host },
      },
      options.services ?? {},
    );
    const members = sampleMembers(count);
    const visitor = sampleMember(count + 1);
    fillGuild(discord, members);
    for (const [index, { name }] of members.slice(0, membersElsewhere).entries()) {
      telegram.createUser(name, telegramIds + index + 1);
      reddit.world.addUser(name);
    }
    reddit.world.addSubreddit(sampleSubreddit.name, [sampleSubreddit.moderator], ['Holder']);
    fillOpenSea(services.opensea, members);
    await mintSamples(chain, members);
    await fundOnSample(chain, [...members, visitor]);
    const deployer = deployerOf(chain);
    return {
      ...{ discord, chain, telegram, reddit, near, stripe, ...services },
      ...{ guild: sampleGuild, members, deployer, visitor, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function deployerOf({ accounts: [first] }: DevChain): SampleWorld['deployer'] {
  if (first === undefined) throw new Error('The chain has no accounts.');
  const account = privateKeyToAccount(first.privateKey);
  return { address: account.address, sign: (message) => account.signMessage({ message }) };
}

/** Who holds what, by member number. */
const holdings = {
  keys: { every: 30, more: 10 },
  coins: { some: [1, 25, '100'], many: [21, 25, '5000'] },
  badges: { from: 11, to: 25 },
} as const;

/** Mints tokens: a key to the first thirty, three to the first ten, coins and badges to others. */
async function mintSamples(chain: DevChain, members: readonly SampleMember[]): Promise<void> {
  const { erc20, erc721, erc1155 } = chain.contracts;
  const [minter] = chain.accounts;
  if (minter === undefined) throw new Error('The chain has no accounts.');
  const client = createWalletClient({
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  }).extend(publicActions);
  // The node mines at once and refuses transactions that fail, so a response means that it is done.
  const send = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
    client.sendTransaction({ account: minter.address, to, data: encodeFunctionData({ abi, functionName, args }) });
  const from = (first: number, last: number) => members.slice(first - 1, last).map(({ address }) => address);
  const collectors = from(1, holdings.keys.more);
  await send(erc721, sampleKeysAbi, 'mintMany', [[...from(1, holdings.keys.every), ...collectors, ...collectors]]);
  for (const [first, last, amount] of Object.values(holdings.coins))
    await send(erc20, sampleCoinAbi, 'mintMany', [from(first, last), parseEther(amount)]);
  await send(erc1155, sampleBadgesAbi, 'mintMany', [from(holdings.badges.from, holdings.badges.to), 1n, 1n]);
}

/** Funds each of them for the fees of their own transactions, such as transferring a token. */
export async function fundOnSample(chain: DevChain, owners: readonly { address: Address }[]): Promise<void> {
  const client = createTestClient({
    mode: 'hardhat',
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  });
  for (const { address } of owners) await client.setBalance({ address, value: parseEther('1') });
}

/** The accounts of the sample network. Their keys are derived from the seed, so that every start has the same ones. */
export const sampleNearAccounts = {
  network: 'testnet',
  server: 'latchkey.testnet',
  tokenCode: 'token-code.testnet',
  marketCode: 'market-code.testnet',
  market: 'market.latchkey.testnet',
  art: 'art.latchkey.testnet',
  coin: 'coin.latchkey.testnet',
  people: ['ada.testnet', 'ben.testnet', 'cleo.testnet'],
} as const;

const near = 1_000_000_000_000_000_000_000_000n;

/** Starts a NEAR network with the server's account, the code of its contracts, a market, and a few accounts with tokens. */
export async function startSampleNear(address: EmulatorAddress = {}): Promise<NearChain> {
  const { network, server, tokenCode, marketCode, market, art, coin, people } = sampleNearAccounts;
  const chain = await startNearChain({ ...address, seed: 'sample-near', chainId: network });
  chain.createAccount(server, 1_000_000n * near);
  for (const id of [tokenCode, marketCode, market, art, coin, ...people]) chain.createAccount(id, 1_000n * near);
  chain.deploy(tokenCode, 'nep171');
  chain.deploy(marketCode, 'market');
  chain.deploy(market, 'market', { owner_id: server, ft_token_ids: [], fee_basis_points: 0 });
  giveOutTokens(chain);
  return chain;
}

/** The numbers of ada's prints: one is on offer at a price, one is auctioned, one is kept, and one is bought by ben. */
const [onOffer, atAuction, kept, sold] = [1, 2, 3, 4] as const;

/** Creates a history: mints, offers, a sale and a payment, which a server's index can show. */
function giveOutTokens(chain: NearChain): void {
  const { server, market, art, coin, people } = sampleNearAccounts;
  const [ada, ben, cleo] = people;
  const act = (who: string, contract: string, method: string, args: Record<string, unknown>, deposit = 1n) => {
    const { failure } = chain.act(who, contract, [nearCall(method, args, { deposit, teraGas: 150 })]);
    if (failure !== undefined) throw new Error(`${method} failed on the sample network: ${JSON.stringify(failure)}`);
  };
  chain.deploy(art, 'nep171', { owner_id: server, metadata: { spec: 'nft-1.0.0', name: 'Prints', symbol: 'PRINT' } });
  const metadata = { spec: 'ft-1.0.0', name: 'Sample Coin', symbol: 'COIN', decimals: 6 };
  chain.deploy(coin, 'nep141', { owner_id: ada, total_supply: '1000000000', metadata });
  const mint = (tokenId: number, to: string) => {
    const token = { token_id: String(tokenId), receiver_id: to, metadata: { title: `Print ${tokenId}` } };
    act(server, art, 'nft_mint', token, near / 50n);
  };
  for (const tokenId of [onOffer, atAuction, kept, sold]) mint(tokenId, ada);
  mint(sold + 1, cleo);
  act(ada, market, 'storage_deposit', {}, near / 10n);
  for (const tokenId of [onOffer, atAuction, sold]) {
    const msg = JSON.stringify({ sale_conditions: { near: String(near) }, is_auction: tokenId === atAuction });
    act(ada, art, 'nft_approve', { token_id: String(tokenId), account_id: market, msg }, near / 1000n);
  }
  for (const tokenId of [atAuction, sold])
    act(ben, market, 'offer', { nft_contract_id: art, token_id: String(tokenId) }, near);
  act(ada, coin, 'storage_deposit', { account_id: ben }, near / 100n);
  act(ada, coin, 'ft_transfer', { receiver_id: ben, amount: '2500000' });
}
