import type { Windows } from '../../windows.ts';
import { type Fields, isFields } from '../fields.ts';
import { intents } from '../intents.ts';
import type { Limits } from '../limits/limits.ts';
import { membersAfter, membersNamed } from '../state/members.ts';
import type { Guild, Member } from '../state/types.ts';
import type { World } from '../state/world.ts';
import { viewMember } from '../views.ts';
import { opcodes, type Session } from './session.ts';

const chunkSize = 1000;
const mostNamed = 100;

interface Found {
  members: readonly Member[];
  notFound: readonly string[];
}

/** Answers a request for members with chunks. The whole list is for bots with the intent, and not too often. */
export function sendMembers(world: World, session: Session, asked: unknown, limits: Limits, windows: Windows): void {
  if (!isFields(asked)) return;
  const guild = world.guilds.get(String(asked.guild_id));
  if (guild === undefined || !guild.members.has(session.application.bot.id)) return;
  const nonce = typeof asked.nonce === 'string' && asked.nonce.length <= 32 ? { nonce: asked.nonce } : {};
  if (isForAll(asked)) {
    if ((session.intents & intents.members) === 0) return;
    const rate = { limit: 1, windowSeconds: limits.memberRequestSeconds };
    const taken = windows.take(`members ${session.application.id} ${guild.id}`, rate);
    if (!taken.isAllowed) {
      const retryAfter = (taken.endsAtMs - world.clock()) / 1000;
      const meta = { guild_id: guild.id, ...nonce };
      session.dispatch('RATE_LIMITED', { opcode: opcodes.requestMembers, retry_after: retryAfter, meta });
      return;
    }
  }
  const { members, notFound } = findMembers(guild, asked);
  const count = Math.max(1, Math.ceil(members.length / chunkSize));
  for (let index = 0; index < count; index += 1) {
    session.dispatch('GUILD_MEMBERS_CHUNK', {
      guild_id: guild.id,
      members: members.slice(index * chunkSize, (index + 1) * chunkSize).map((member) => viewMember(member)),
      chunk_index: index,
      chunk_count: count,
      ...(notFound.length === 0 ? {} : { not_found: notFound }),
      ...nonce,
    });
  }
}

function isForAll({ user_ids, query, limit }: Fields): boolean {
  return user_ids === undefined && query === '' && (limit ?? 0) === 0;
}

function findMembers(guild: Guild, asked: Fields): Found {
  if (asked.user_ids !== undefined) {
    const ids = [asked.user_ids].flat().map(String).slice(0, mostNamed);
    return {
      members: ids.flatMap((id) => guild.members.get(id) ?? []),
      notFound: ids.filter((id) => !guild.members.has(id)),
    };
  }
  if (isForAll(asked)) return { members: membersAfter(guild, '0', guild.members.size), notFound: [] };
  const limit = Math.min(mostNamed, Number(asked.limit) || mostNamed);
  return { members: membersNamed(guild, String(asked.query ?? ''), limit), notFound: [] };
}
