import type {
  RESTGetAPIGuildMembersQuery,
  RESTGetAPIGuildQuery,
  RESTPatchAPIGuildMemberJSONBody,
  RESTPatchAPIGuildRolePositionsJSONBody,
  RESTPatchCurrentApplicationJSONBody,
  RESTPostAPIChannelInviteJSONBody,
  RESTPostAPICurrentUserCreateDMChannelJSONBody,
  RESTPostAPIGuildChannelJSONBody,
  RESTPostAPIGuildRoleJSONBody,
  RESTPostAPIWebhookWithTokenQuery,
  RESTPutAPIApplicationRoleConnectionMetadataJSONBody,
  RESTPutAPICurrentUserApplicationRoleConnectionJSONBody,
  Routes,
} from 'discord-api-types/v10';
import type { Method } from '../governor/index.ts';

type PathOf<Name extends keyof typeof Routes> = ReturnType<(typeof Routes)[Name]>;

/**
 * Messages and commands that core and mini-apps write, and prompts that go back as Discord sent them. A test compiles what was sent against
 * Discord's own types, and the deep tier checks it against Discord's description.
 */
type Written = Record<string, unknown>;

/**
 * Every request that this adapter may send, by Discord's own description: the method, the path of one of its routes, the body, and the
 * query before it becomes text. A call that is not in this list does not compile.
 */
type Requests =
  | ['GET', PathOf<'currentApplication'>, never, never]
  | ['PATCH', PathOf<'currentApplication'>, RESTPatchCurrentApplicationJSONBody, never]
  | ['PUT', PathOf<'applicationCommands'>, readonly Written[], never]
  | ['PUT', PathOf<'applicationGuildCommands'>, readonly Written[], never]
  | ['GET', PathOf<'applicationRoleConnectionMetadata'>, never, never]
  | [
      'PUT',
      PathOf<'applicationRoleConnectionMetadata'>,
      Readonly<RESTPutAPIApplicationRoleConnectionMetadataJSONBody>,
      never,
    ]
  | ['GET', PathOf<'channelInvites'>, never, never]
  | ['POST', PathOf<'channelInvites'>, RESTPostAPIChannelInviteJSONBody, never]
  | ['POST', PathOf<'channelMessages'>, Written, never]
  | ['PATCH', PathOf<'channelMessage'>, Written, never]
  | ['GET', PathOf<'guild'>, never, RESTGetAPIGuildQuery]
  | ['GET', PathOf<'guildChannels'>, never, never]
  | ['GET', PathOf<'guildIntegrations'>, never, never]
  | ['GET', PathOf<'guildInvites'>, never, never]
  | ['POST', PathOf<'guildChannels'>, RESTPostAPIGuildChannelJSONBody, never]
  | ['GET', PathOf<'guildMembers'>, never, RESTGetAPIGuildMembersQuery]
  | ['GET', PathOf<'guildMember'>, never, never]
  | ['PATCH', PathOf<'guildMember'>, RESTPatchAPIGuildMemberJSONBody, never]
  | ['PUT' | 'DELETE', PathOf<'guildMemberRole'>, never, never]
  | ['GET', PathOf<'guildOnboarding'>, never, never]
  | ['PUT', PathOf<'guildOnboarding'>, { prompts: readonly Written[] }, never]
  | ['GET', PathOf<'guildRoleMemberCounts'>, never, never]
  | ['GET', PathOf<'guildRoles'>, never, never]
  | ['POST', PathOf<'guildRoles'>, RESTPostAPIGuildRoleJSONBody, never]
  | ['PATCH', PathOf<'guildRoles'>, RESTPatchAPIGuildRolePositionsJSONBody, never]
  | ['POST', PathOf<'interactionCallback'>, Written, never]
  | ['DELETE', PathOf<'invite'>, never, never]
  | ['GET', PathOf<'inviteTargetUsersJobStatus'>, never, never]
  | ['GET', PathOf<'user'>, never, never]
  | ['POST', PathOf<'userChannels'>, RESTPostAPICurrentUserCreateDMChannelJSONBody, never]
  | [
      'PUT',
      PathOf<'userApplicationRoleConnection'>,
      Readonly<RESTPutAPICurrentUserApplicationRoleConnectionJSONBody>,
      never,
    ]
  | ['POST', PathOf<'webhook'>, Written, RESTPostAPIWebhookWithTokenQuery]
  | ['GET' | 'PATCH' | 'DELETE', PathOf<'webhookMessage'>, Written, never];

/** The segments of a path. A template such as `/guilds/${string}` would otherwise also match everything below it. */
type Segments<Path extends string> = Path extends `${infer First}/${infer Rest}` ? [First, ...Segments<Rest>] : [Path];

type Find<M extends Method, Path extends string, Each> = Each extends [
  infer Known,
  infer Route extends string,
  infer Body,
  infer Query,
]
  ? M extends Known
    ? Segments<Path> extends (Route extends string ? Segments<Route> : never)
      ? { body: Body; query: { [Name in keyof Query]: string } }
      : never
    : never
  : never;

export type RequestOf<M extends Method, Path extends string> = Find<M, Path, Requests>;
