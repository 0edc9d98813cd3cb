import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { DiscordMemberObject, DiscordUserObject } from '../../ports/index.ts';

const APIUser = record('APIUser', 'A user of Discord.', {
  id: T.Optional(text('Discord’s id of the user.')),
  username: T.Optional(text('The name of the account.')),
  discriminator: T.Optional(text('The four digits of old names; 0 for new ones.')),
  avatar: T.Optional(text('The hash of the picture.')),
  bot: T.Optional(T.Boolean({ description: 'True for bots.' })),
  system: T.Optional(T.Boolean({ description: 'True for Discord’s own messages.' })),
  mfa_enabled: T.Optional(T.Boolean({ description: 'Whether two-factor authentication is enabled.' })),
  banner: T.Optional(text('The hash of the banner.')),
  accent_color: T.Optional(T.Number({ description: 'The color of the profile.' })),
  locale: T.Optional(text('The language.')),
  verified: T.Optional(T.Boolean({ description: 'Whether the e-mail address is confirmed.' })),
  email: T.Optional(text('The e-mail address; not visible to bots.')),
  flags: T.Optional(T.Number({ description: 'The account’s flags.' })),
  premium_type: T.Optional(T.Number({ description: 'The kind of subscription.' })),
  public_flags: T.Optional(T.Number({ description: 'The account’s public flags.' })),
});

export const GuildMemberInfoResponse = record('GuildMemberInfoResponse', 'A member of a Discord server.', {
  user: T.Optional(APIUser),
  nick: T.Optional(text('What the member is called in this server.')),
  avatar: T.Optional(text('The hash of the picture used in this server.')),
  roles: T.Optional(texts('The ids of the roles the member has.')),
  joined_at: T.Optional(text('When the member joined, in ISO 8601 format.')),
  premium_since: T.Optional(text('When the member started boosting the server.')),
  deaf: T.Optional(T.Boolean({ description: 'Whether the member is deafened in voice channels.' })),
  mute: T.Optional(T.Boolean({ description: 'Whether the member is muted in voice channels.' })),
  pending: T.Optional(T.Boolean({ description: 'Whether the member has yet to accept the server’s rules.' })),
  communication_disabled_until: T.Optional(text('When the member’s timeout ends.')),
});
export type GuildMemberInfoResponse = ValueOf<typeof GuildMemberInfoResponse>;

export function toMember(member: DiscordMemberObject): GuildMemberInfoResponse {
  return {
    user: toUser(member.user),
    nick: member.nick ?? undefined,
    avatar: member.avatar ?? undefined,
    roles: member.roles,
    joined_at: member.joined_at ?? undefined,
    premium_since: member.premium_since ?? undefined,
    deaf: member.deaf,
    mute: member.mute,
    pending: member.pending,
    communication_disabled_until: member.communication_disabled_until ?? undefined,
  };
}

function toUser({
  id,
  username,
  discriminator,
  avatar,
  bot,
  system,
  public_flags,
}: DiscordUserObject): ValueOf<typeof APIUser> {
  return {
    id,
    username,
    discriminator,
    avatar: avatar ?? undefined,
    bot,
    system: typeof system === 'boolean' ? system : undefined,
    public_flags: typeof public_flags === 'number' ? public_flags : undefined,
  };
}
