import { sampleGuild } from './guild.ts';
import { sampleMember, sampleMembers } from './members.ts';

/** The default number of members. */
export const usualMembers = 50;
/** How many of the members have accounts on the other platforms. */
export const membersElsewhere = 10;
/** Added to a member's number, this gives their Telegram id. */
export const telegramIds = 700_000_000;

export interface SampleAccount {
  platform: 'discord' | 'telegram' | 'reddit';
  /** The id on that platform. */
  id: string;
}

/** Returns every account that anyone can sign in with while the sample world runs, and the wallets whose keys are public. */
export function sampleAccounts(): { accounts: SampleAccount[]; addresses: string[] } {
  const people = [...sampleMembers(usualMembers), sampleMember(usualMembers + 1)];
  const elsewhere = people.slice(0, membersElsewhere);
  return {
    accounts: [
      { platform: 'discord', id: sampleGuild.ownerId },
      ...people.map(({ userId }) => ({ platform: 'discord' as const, id: userId })),
      ...elsewhere.map((_, index) => ({ platform: 'telegram' as const, id: String(telegramIds + index + 1) })),
      ...elsewhere.map(({ name }) => ({ platform: 'reddit' as const, id: name })),
    ],
    addresses: people.map(({ address }) => address),
  };
}
