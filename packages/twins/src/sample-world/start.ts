import { type DiscordTwin, startDiscordTwin } from '../discord/index.ts';
import { type DevChain, startDevChain } from '../evm-chain/index.ts';
import { fillGuild, sampleGuild } from './guild.ts';
import { type SampleMember, sampleMember, sampleMembers } from './members.ts';
import { fuel, mintSamples } from './mint.ts';

export interface SampleWorldOptions {
  /** Discord listens here and the chain one port above; 0 takes free ports. */
  port?: number;
  host?: string;
  members?: number;
  /** What the bot of the guild logs in with. */
  bot?: { id: string; token: string };
  /** What the twin's signing key follows from: say something nobody can guess where strangers can reach the API. */
  seed?: string;
}

/** The outside world of a sample community: a guild on Discord, and a chain on which its members hold tokens. */
export interface SampleWorld {
  discord: DiscordTwin;
  chain: DevChain;
  guild: typeof sampleGuild;
  members: readonly SampleMember[];
  /** Somebody with a wallet who is not in the guild yet. */
  visitor: SampleMember;
  stop(): Promise<void>;
}

export async function startSampleWorld(options: SampleWorldOptions = {}): Promise<SampleWorld> {
  const { port = 0, host = '127.0.0.1', members: count = 50, seed = 'sample', bot } = options;
  const discord = await startDiscordTwin({ port, host, seed, application: { name: 'Latchkey', ...bot } });
  try {
    const chain = await startDevChain({ port: port === 0 ? 0 : port + 1, host });
    const members = sampleMembers(count);
    const visitor = sampleMember(count + 1);
    fillGuild(discord, members);
    await mintSamples(chain, members);
    await fuel(chain, [...members, visitor]);
    const stop = async () => void (await Promise.all([discord.stop(), chain.stop()]));
    return { discord, chain, guild: sampleGuild, members, visitor, stop };
  } catch (error) {
    await discord.stop();
    throw error;
  }
}
