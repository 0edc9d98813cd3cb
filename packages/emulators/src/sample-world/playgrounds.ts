import {
  type Abi,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  formatEther,
  keccak256,
  parseEther,
  toHex,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { DiscordEmulator } from '../discord/index.ts';
import {
  type DevChain,
  devChain,
  devTransport,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
} from '../evm-chain/index.ts';

/** What a wallet holds on the development chain. */
export interface PlaygroundHoldings {
  keys: number;
  /** Whole coins. */
  coins: string;
  badges: number;
}

/** A member of a playground's guild. The first one is the reader. */
export interface PlaygroundSeat {
  /** The id on Discord. */
  userId: string;
  name: string;
  address: Address;
}

/** A small guild for one reader, with wallets on the development chain. */
export interface PlaygroundGuild {
  guildId: string;
  ownerId: string;
  roles: { holder: string; collector: string };
  members: readonly PlaygroundSeat[];
  /** Where its tokens are. */
  tokens: { chainId: number; keys: Address; coins: Address; badges: Address };
}

/** Opens and closes such guilds. They end with the emulators. */
export interface PlaygroundWorld {
  /** The keys of its wallets are derived from the seed. */
  open(seed: string): Promise<PlaygroundGuild>;
  /** Undefined if the guild was closed, or if the emulators have been started again since. */
  find(guildId: string): PlaygroundGuild | undefined;
  /** The names of the roles that a member has on Discord, and what the wallet holds. */
  read(guildId: string, userId: string): { roles: string[]; holds: PlaygroundHoldings };
  /** Signs as the member's wallet does. */
  sign(guildId: string, userId: string, message: string): Promise<string>;
  /** Transfers one key from the member to the market or back. Returns false if the sender holds none. */
  trade(guildId: string, userId: string, side: 'sell' | 'buy'): Promise<boolean>;
  close(guildId: string): void;
}

/** What each member holds at first: keys, times 100 coins, and badges. */
const starts = [
  { name: 'you', keys: 1, coins: 0, badges: 0 },
  { name: 'ada', keys: 3, coins: 1, badges: 0 },
  { name: 'ben', keys: 1, coins: 0, badges: 0 },
  { name: 'cleo', keys: 1, coins: 0, badges: 1 },
  { name: 'dan', keys: 1, coins: 1, badges: 0 },
  { name: 'eve', keys: 0, coins: 1, badges: 1 },
] as const;

interface Seat extends PlaygroundSeat {
  start: { keys: number; coins: number; badges: number };
  account: PrivateKeyAccount;
  holds: PlaygroundHoldings;
}

interface OpenGuild extends PlaygroundGuild {
  members: readonly Seat[];
  /** Keeps the keys that were sold. */
  market: PrivateKeyAccount;
}

export function createPlaygroundWorld(discord: DiscordEmulator, chain: DevChain): PlaygroundWorld {
  const network = { chain: devChain(chain.url, chain.chainId), transport: devTransport(chain.url) };
  const [reader, wallet] = [createPublicClient(network), createWalletClient(network)];
  const test = createTestClient({ mode: 'hardhat', ...network });
  const { erc20, erc721, erc1155 } = chain.contracts;
  const [first] = chain.accounts;
  if (first === undefined) throw new Error('The chain has no accounts.');
  const minter = first.address;
  const guilds = new Map<string, OpenGuild>();
  // One transaction at a time, so that no two take the same nonce.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };

  const send = (account: Address | PrivateKeyAccount, to: Address, abi: Abi, functionName: string, args: unknown[]) =>
    wallet.sendTransaction({ account, to, data: encodeFunctionData({ abi, functionName, args }) });

  async function readHoldings(address: Address): Promise<PlaygroundHoldings> {
    const [keys, coins, badges] = await Promise.all([
      reader.readContract({ address: erc721, abi: sampleKeysAbi, functionName: 'balanceOf', args: [address] }),
      reader.readContract({ address: erc20, abi: sampleCoinAbi, functionName: 'balanceOf', args: [address] }),
      reader.readContract({ address: erc1155, abi: sampleBadgesAbi, functionName: 'balanceOf', args: [address, 1n] }),
    ]);
    return { keys: Number(keys), coins: formatEther(coins), badges: Number(badges) };
  }

  async function mint(members: readonly Seat[], market: Address): Promise<void> {
    const to = (count: (seat: Seat['start']) => number) =>
      members.flatMap(({ address, start }) => Array<Address>(count(start)).fill(address));
    await send(minter, erc721, sampleKeysAbi, 'mintMany', [to(({ keys }) => keys)]);
    await send(minter, erc20, sampleCoinAbi, 'mintMany', [to(({ coins }) => coins), parseEther('100')]);
    await send(minter, erc1155, sampleBadgesAbi, 'mintMany', [to(({ badges }) => badges), 1n, 1n]);
    // Both pay the fees of their own transfers.
    for (const address of [...members.slice(0, 1).map((reader) => reader.address), market])
      await test.setBalance({ address, value: parseEther('1') });
    for (const member of members) member.holds = await readHoldings(member.address);
  }

  const get = (guildId: string): OpenGuild => {
    const guild = guilds.get(guildId);
    if (guild === undefined) throw new Error(`There is no playground with the guild ${guildId}.`);
    return guild;
  };
  const seatOf = (guildId: string, userId: string): Seat => {
    const seat = get(guildId).members.find((member) => member.userId === userId);
    if (seat === undefined) throw new Error(`The playground ${guildId} has no member ${userId}.`);
    return seat;
  };

  return {
    open: async (seed) => {
      const owner = discord.createUser('owner');
      const { id } = discord.createGuild({ name: 'Your sample community', ownerId: owner.id });
      const roles = {
        collector: discord.createRole(id, { name: 'Collector', color: 0xbf3989 }).id,
        holder: discord.createRole(id, { name: 'Holder', color: 0x9a6700 }).id,
      };
      const members = starts.map(({ name, ...start }): Seat => {
        const account = accountOf(seed, name);
        const { user } = discord.addMember(id, { name });
        const holds = { keys: 0, coins: '0', badges: 0 };
        return { userId: user.id, name, address: account.address, start, account, holds };
      });
      const market = accountOf(seed, 'market');
      await inTurn(() => mint(members, market.address));
      const tokens = { chainId: chain.chainId, keys: erc721, coins: erc20, badges: erc1155 };
      const guild: OpenGuild = { guildId: id, ownerId: owner.id, roles, members, tokens, market };
      guilds.set(id, guild);
      return guild;
    },
    find: (guildId) => guilds.get(guildId),
    read: (guildId, userId) => {
      const guild = discord.getGuild(guildId);
      const held = [...(guild.members.get(userId)?.roles ?? [])];
      return {
        roles: held.map((roleId) => guild.roles.get(roleId)?.name ?? roleId).sort(),
        holds: seatOf(guildId, userId).holds,
      };
    },
    sign: (guildId, userId, message) => seatOf(guildId, userId).account.signMessage({ message }),
    trade: (guildId, userId, side) =>
      inTurn(async () => {
        const seat = seatOf(guildId, userId);
        const { market } = get(guildId);
        const [from, to] = side === 'sell' ? [seat.account, market] : [market, seat.account];
        const { keys } = await readHoldings(from.address);
        if (keys === 0) return false;
        const owned = { address: erc721, abi: sampleKeysAbi, functionName: 'tokenOfOwnerByIndex' } as const;
        const tokenId = await reader.readContract({ ...owned, args: [from.address, 0n] });
        await send(from, erc721, sampleKeysAbi, 'transferFrom', [from.address, to.address, tokenId]);
        seat.holds = await readHoldings(seat.address);
        return true;
      }),
    close: (guildId) => {
      if (guilds.delete(guildId)) discord.deleteGuild(guildId);
    },
  };
}

function accountOf(seed: string, name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(`playground wallet of ${name}: ${seed}`)));
}
