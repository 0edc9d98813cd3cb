import { PNG } from 'pngjs';
import type { DiscordEmulator } from '../discord/index.ts';
import type { SampleMember } from './members.ts';

export const sampleGuild = {
  id: '100000000000000001',
  name: 'Sample community',
  ownerId: '200000000000000000',
  /** From the highest down. All of them are below the bot. */
  roles: {
    whale: { id: '300000000000000005', name: 'Whale', color: 0x1f6feb },
    insider: { id: '300000000000000004', name: 'Insider', color: 0x8250df },
    collector: { id: '300000000000000003', name: 'Collector', color: 0xbf3989 },
    supporter: { id: '300000000000000002', name: 'Supporter', color: 0x1a7f37 },
    holder: { id: '300000000000000001', name: 'Holder', color: 0x9a6700 },
  },
} as const;

/** The subreddit of the same owner, with a member who moderates it. */
export const sampleSubreddit = { name: 'sample_subreddit', moderator: 'member-01' } as const;

/** Another guild of the same owner, without the bot: to try out adding a community. */
const emptyGuild = { id: '100000000000000002', name: 'Second community' } as const;

/** Another one with the bot, which is not a community yet: to add one with a single call. */
export const readyGuild = { id: '100000000000000003', name: 'Third community' } as const;

const botPermissions = [
  'MANAGE_ROLES',
  'MANAGE_GUILD',
  'BAN_MEMBERS',
  'MANAGE_CHANNELS',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
] as const;

/** Creates a guild with a bot that may manage roles, roles below the bot, and members who hold none of them yet. */
export function fillGuild(discord: DiscordEmulator, members: readonly SampleMember[]): void {
  const { id, name, ownerId, roles } = sampleGuild;
  discord.createUser('owner', ownerId);
  discord.createGuild({
    id,
    name,
    ownerId,
    bot: [...botPermissions],
  });
  discord.setIcon(id, drawIcon());
  for (const channel of ['collabland-join', 'collabland-config']) discord.createChannel(id, { name: channel });
  // A new role is added at the bottom and moves the others up, so the most powerful comes first.
  for (const role of Object.values(roles)) discord.createRole(id, role);
  for (const { userId, name } of members) discord.addMember(id, { id: userId, name });
  // Each gives a role that a rule decides about, without the rule.
  for (const role of [roles.holder, roles.supporter]) discord.createInvite(id, { roleIds: [role.id] });
  discord.createGuild({ ...emptyGuild, ownerId, bot: false });
  discord.createGuild({ ...readyGuild, ownerId, bot: [...botPermissions] });
  for (const { userId, name } of members) discord.addMember(emptyGuild.id, { id: userId, name });
}

const side = 128;
const ink = [0x14, 0x53, 0x3a] as const;
const paper = [0xe8, 0xf3, 0xec] as const;

/** Returns the icon of the sample community, a keyhole on green, as a PNG. */
function drawIcon(): Uint8Array {
  const png = new PNG({ width: side, height: side });
  const pixels = Array.from({ length: side * side }, (_, index) =>
    isKeyHole(index % side, Math.floor(index / side)) ? paper : ink,
  );
  png.data = Buffer.from(pixels.flat());
  return PNG.sync.write(png, { colorType: 2, inputColorType: 2, inputHasAlpha: false });
}

function isKeyHole(x: number, y: number): boolean {
  const isHead = Math.hypot(x - 63.5, y - 50) < 20;
  const isShaft = y >= 50 && y < 100 && Math.abs(x - 63.5) < 7 + (y - 50) / 6;
  return isHead || isShaft;
}
