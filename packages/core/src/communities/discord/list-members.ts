import { AppError } from '@latchkey/kernel';
import type { DiscordApi, DiscordMemberObject } from '../../ports/index.ts';
import { askDiscord, type DiscordContext, guildOf } from './ask-discord.ts';
import { type GuildMemberInfoResponse, toMember } from './member.ts';

export const defaultLimit = 100;
export const maxLimit = 1000;

export interface ListMembers {
  guildId: string;
  limit?: number | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Members in the order of their ids: those after an id, or the last ones before an id. */
export async function listMembers(ctx: DiscordContext, input: ListMembers): Promise<GuildMemberInfoResponse[]> {
  const { limit = defaultLimit, before, after } = input;
  const { guildId } = await guildOf(ctx, input.guildId);
  const members = await askDiscord(ctx, (discord) =>
    before === undefined
      ? discord.readMembers(guildId, { limit, ...(after === undefined ? {} : { after }) })
      : readBefore(discord, guildId, { limit, before: BigInt(before), after: BigInt(after ?? 0) }),
  );
  return members.map(toMember);
}

// Ids count milliseconds in steps of 2^22.
const dayOfIds = BigInt(24 * 60 * 60 * 1000) << 22n;
const mostReads = 12;

/**
 * Discord only looks forward, so this starts some time before the id and looks forward to it; when that shows too few, it
 * starts earlier.
 */
async function readBefore(
  discord: DiscordApi,
  guildId: string,
  { limit, before, after }: { limit: number; before: bigint; after: bigint },
): Promise<DiscordMemberObject[]> {
  let reads = 0;
  for (let span = dayOfIds * 30n; ; span *= 8n) {
    const start = before - span > after ? before - span : after;
    const found: DiscordMemberObject[] = [];
    for (let from = start; ; ) {
      if (reads++ >= mostReads)
        throw new AppError(
          'INVALID_PARAMETER_VALUE',
          'There are too many members before this id. Page with after instead.',
        );
      const page = await discord.readMembers(guildId, { limit: maxLimit, after: String(from) });
      found.push(...page.filter(({ user }) => BigInt(user.id) < before));
      const last = page.at(-1);
      if (page.length < maxLimit || last === undefined || BigInt(last.user.id) >= before) break;
      from = BigInt(last.user.id);
    }
    if (found.length >= limit || start === after) return found.slice(-limit);
  }
}
