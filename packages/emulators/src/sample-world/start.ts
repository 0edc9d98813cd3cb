import { type DiscordEmulator, startDiscordEmulator } from '../discord/index.ts';
import { type DevChain, startDevChain } from '../evm-chain/index.ts';
import type { NearChain } from '../near-chain/index.ts';
import { type RedditEmulator, startRedditEmulator } from '../reddit/index.ts';
import { type StripeEmulator, startStripeEmulator } from '../stripe/index.ts';
import { startTelegramEmulator, type TelegramEmulator } from '../telegram/index.ts';
import { membersElsewhere, telegramIds, usualMembers } from './accounts.ts';
import { fillGuild, sampleGuild } from './guild.ts';
import { type SampleMember, sampleMember, sampleMembers } from './members.ts';
import { fuel, mintSamples } from './mint.ts';
import { startSampleNear } from './near.ts';

export interface SampleWorldOptions {
  /** Discord listens here, the chain, Telegram, Reddit, NEAR and Stripe on the five ports above; 0 takes free ports. */
  port?: number;
  host?: string;
  members?: number;
  /** What the bot of the guild logs in with. */
  bot?: { id: string; token: string; clientSecret?: string };
  /** What the bot on Telegram logs in with. */
  telegramBot?: { token: string; username: string };
  /** What the application on Reddit logs in with. */
  redditApp?: { clientId: string; clientSecret: string };
  /** What the account at Stripe is used with. */
  stripeAccount?: { secretKey: string; webhookSecret: string };
  /** What the emulator's signing key follows from: say something nobody can guess where strangers can reach the API. */
  seed?: string;
}

/**
 * The outside world of a sample community: a guild on Discord, a chain on which its members hold tokens, the accounts that
 * some of them have on Telegram and Reddit, a NEAR network with a market, and an account at Stripe.
 */
export interface SampleWorld {
  discord: DiscordEmulator;
  chain: DevChain;
  telegram: TelegramEmulator;
  reddit: RedditEmulator;
  near: NearChain;
  stripe: StripeEmulator;
  guild: typeof sampleGuild;
  members: readonly SampleMember[];
  /** Somebody with a wallet who is not in the guild yet. */
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
    const members = sampleMembers(count);
    const visitor = sampleMember(count + 1);
    fillGuild(discord, members);
    for (const [index, { name }] of members.slice(0, membersElsewhere).entries()) {
      telegram.createUser(name, telegramIds + index + 1);
      reddit.world.addUser(name);
    }
    await mintSamples(chain, members);
    await fuel(chain, [...members, visitor]);
    return { discord, chain, telegram, reddit, near, stripe, guild: sampleGuild, members, visitor, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
