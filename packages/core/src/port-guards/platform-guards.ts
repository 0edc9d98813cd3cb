import {
  type ChatBot,
  type ChatIdentityProvider,
  type DiscordApi,
  type LinkedRoles,
  type MessageIdentityProvider,
  PlatformFailed,
  type RedditApi,
  type RedditConsent,
  type RedirectIdentityProvider,
  type RoleHost,
  type TelegramApi,
} from '../ports/index.ts';
import { asyncMethod, type MethodGuard, type PortGuard, paging, syncMethod, type TimeLimits } from './guard.ts';
import { answer, anything, bytes, flag, listOf, maybe, record, type Shape, text, time, whole } from './shapes.ts';

const isDeclared = (error: unknown) => error instanceof PlatformFailed;

function unavailable(reason: string): never {
  throw new PlatformFailed('unavailable', `The platform could not be reached. ${reason}`);
}

function platform<Args extends unknown[], Given>(
  shape: Shape,
  limit: keyof TimeLimits = 'questionMs',
): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({ accepts: shape, throws: isDeclared, failed: unavailable, limit });
}

const member = record({ userId: text, roleIds: listOf(text) });
const refusal = record({ advice: text });

const endShape = maybe(record({ isComplete: flag, left: maybe(listOf(member)) }));
// A generator that may end either way, which fits both kinds of pages in the port.
const memberPages = paging({
  accepts: listOf(member),
  ends: endShape,
  throws: isDeclared,
  failed: unavailable,
}) as PortGuard<RoleHost>['readMembers'];

export const hostGuard: PortGuard<RoleHost> = {
  readMember: platform(maybe(member)),
  readLeftRoles: platform(listOf(text)),
  readMembers: memberPages,
  readRoles: platform(listOf(record({ id: text, name: text }))),
  countHolders: platform((counts) => counts instanceof Map),
  writeMember: asyncMethod({
    accepts: answer({
      written: { roleIds: listOf(text), refused: maybe(listOf(refusal)) },
      gone: {},
      forbidden: { advice: text },
      failed: { reason: text },
      waiting: { reason: text, retryAfterSeconds: whole },
    }),
    // It may have been written: a retry checks first.
    failed: (reason) => ({ kind: 'failed', reason }),
    limit: 'batchMs',
  }),
  administers: platform(flag),
  findOwner: platform(maybe(text)),
  findFaults: platform(listOf(refusal)),
  checkSetup: platform(listOf(record({ id: text, subject: text, state: text, title: text, reason: text }))),
  settle: syncMethod(listOf(text)),
  readPicture: platform(answer({ none: {}, same: {}, picture: { version: text, bytes } })),
};

const identity = record({ userId: text, name: text });

export const redirectGuard: PortGuard<RedirectIdentityProvider> = {
  start: syncMethod(text),
  finish: platform(identity),
};

export const chatIdentityGuard: PortGuard<ChatIdentityProvider> = { start: platform(text) };

export const messageIdentityGuard: PortGuard<MessageIdentityProvider> = {
  readAccount: syncMethod(maybe(text)),
  send: platform(text),
};

export const chatBotGuard: PortGuard<ChatBot> = {
  profileUrl: platform(text),
  post: platform(text),
  sendTo: platform(text),
  enter: platform(
    record({
      name: text,
      inside: listOf(text),
      replaces: maybe(record({ placeId: text, roleId: text, newRoleId: text })),
    }),
  ),
  leave: platform(anything),
  // Runs for as long as the process listens, and retries what fails.
  listen: (call) => call,
};

const role = record({ id: text, name: text, position: whole, permissions: text });
const guildMember = record({ user: record({ id: text, username: text }), roles: listOf(text) });
const message = record({ id: text });

export const discordGuard: PortGuard<DiscordApi> = {
  readGuild: platform(record({ id: text, name: text, owner_id: text, roles: listOf(role) })),
  readRoles: platform(listOf(role)),
  readInvites: platform(listOf(record({ code: text, roleIds: listOf(text) }))),
  readChannelInvites: platform(listOf(record({ code: text, roleIds: listOf(text) }))),
  createPersonalInvite: platform(text),
  personalInviteState: platform(maybe(text)),
  deleteInvite: platform(flag),
  readOnboarding: platform(
    record({
      isEnabled: flag,
      prompts: listOf(record({ id: text, options: listOf(record({ id: text, roleIds: listOf(text) })) })),
    }),
  ),
  trimOnboarding: platform(flag),
  readIntegrations: platform(listOf(record({ id: text, type: text }))),
  createRole: platform(role),
  moveRole: platform(anything),
  readChannels: platform(listOf(record({ id: text, type: whole }))),
  createChannel: platform(record({ id: text, type: whole })),
  readMember: platform(maybe(guildMember)),
  readMembers: platform(listOf(guildMember)),
  readBot: platform(maybe(guildMember)),
  botName: platform(text),
  sendMessage: platform(message),
  sendPrivately: platform(message),
  editMessage: platform(maybe(message)),
  followUp: platform(message),
  editFollowUp: platform(maybe(message)),
  readFollowUp: platform(maybe(message)),
  deleteFollowUp: platform(flag),
  respond: platform(anything),
  setCommands: platform(anything),
  setGuildCommands: platform(anything),
};

const tokens = record({ accessToken: text, refreshToken: text, expiresInSeconds: Number.isFinite });

export const linkedRolesGuard: PortGuard<LinkedRoles> = {
  start: syncMethod(text),
  finish: platform(record({ identity, tokens })),
  refresh: platform(tokens),
  send: platform(anything),
  revoke: platform(anything),
  readRegistration: platform(record({ records: listOf(record({ key: text })) })),
  register: platform(anything),
};

export const redditGuard: PortGuard<RedditApi> = {
  identify: platform(maybe(record({ userName: text, moderates: listOf(record({ id: text, name: text })) }))),
  administers: platform(flag),
  startModmail: platform(text),
  continueModmail: platform(anything),
  readUnread: platform(listOf(record({ id: text, subject: text, text }))),
  reply: platform(anything),
  markRead: platform(anything),
};

export const redditConsentGuard: PortGuard<RedditConsent> = {
  start: syncMethod(text),
  finish: platform(text),
  revoke: platform(anything),
};

export const telegramGuard: PortGuard<TelegramApi> = {
  botName: platform(text),
  missingRights: platform(listOf(text)),
  createInvite: platform(text),
  revokeInvite: platform(anything),
  readGuard: platform(text),
  openJoinPage: platform(flag),
  queueJoinRequest: platform(flag),
  readInitData: syncMethod(maybe(record({ user: record({ id: text, name: text, isBot: flag }), authDate: time }))),
  send: platform(anything),
  post: platform(text),
  edit: platform(flag),
  whisper: platform(flag),
  readLinkedChat: platform(maybe(record({ chatId: text, title: maybe(text), isChannel: flag }))),
  pin: platform(anything),
  endPress: platform(anything),
  setCommands: platform(anything),
  readWebhook: platform(
    record({ url: maybe(text), waiting: whole, lastError: maybe(record({ message: text, at: time })) }),
  ),
};
