import { setTimeout as delay } from 'node:timers/promises';
import { REST } from '@discordjs/rest';
import { type SessionInfo, SimpleShardingStrategy, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { type Fields, fieldsOf, flagOf, nameOf, parseEntry } from '@latchkey/adapter-kit';
import {
  type DiscordEvent,
  type DiscordGateway,
  discordIntents,
  type OpenShard,
  type ShardOptions,
} from '@latchkey/core/ports';
import { createBackoff, type Log, observed, type Random } from '@latchkey/kernel';
import { type APIGatewayBotInfo, GatewayCloseCodes, GatewayDispatchEvents, Routes } from 'discord-api-types/v10';
import { monotonicTime, type Time } from '../governor/index.ts';
import { parseMember, snowflakeOf } from '../parse/parse-objects.ts';
import { type DiscordClientOptions, discordApiUrl } from '../rest/create-client.ts';
import { requestsBy } from '../rest/create-rest.ts';

export interface GatewayOptions extends Pick<DiscordClientOptions, 'token' | 'apiUrl' | 'fetch'> {
  log: Log;
  /** Refuses gateway URLs that this server may not connect to. */
  permit(url: string): Promise<void>;
  /** For the jitter of reconnects. */
  random: Pick<Random, 'bytes'>;
  time?: Time;
}

/** Creates the Discord gateway of one bot. */
export function createDiscordGateway(options: GatewayOptions): DiscordGateway {
  const { token, apiUrl = discordApiUrl, log, fetch, permit, random, time = monotonicTime } = options;
  // Only used to read the gateway URL, which has its own rate limit.
  const rest = new REST({ api: apiUrl, version: '10', makeRequest: requestsBy(fetch) }).setToken(token);
  let known: Promise<APIGatewayBotInfo> | undefined;
  const read = () => {
    const request = rest.get(Routes.gatewayBot()) as Promise<APIGatewayBotInfo>;
    known = request;
    request.catch(() => {
      if (known === request) known = undefined;
    });
    return request;
  };
  return {
    readGatewayInfo: async () => {
      const { shards, session_start_limit: starts } = await read();
      return {
        shards,
        maxConcurrency: Math.max(1, starts.max_concurrency),
        sessionStarts: { total: starts.total, remaining: starts.remaining, resetAfterMs: starts.reset_after },
      };
    },
    openShard: (shard) =>
      openShard({ ...shard, token, rest, log, permit, random, time, information: () => known ?? read() }),
  };
}

const intents = Object.values(discordIntents).reduce((sum, { bit }) => sum | bit, 0);
/** Any code except 1000 and 1001, which end the session. */
const comingBack = 4200;
const farewellMs = 3_000;
/** How often a resume URL may fail before the session is dropped. */
const mostFailures = 20;
const reconnecting = { firstMs: 1_000, longestMs: 60_000, stableMs: 60_000 };

interface Parts extends ShardOptions {
  token: string;
  rest: REST;
  log: Log;
  /** The library opens connections itself, so each URL is checked before it is passed on. */
  permit(url: string): Promise<void>;
  random: Pick<Random, 'bytes'>;
  time: Time;
  information(): Promise<APIGatewayBotInfo>;
}

/** Uses shared gateway information: with many shards, one request each would be too many. */
class ShardManager extends WebSocketManager {
  readonly information: Parts['information'];
  readonly permit: Parts['permit'];

  constructor(
    options: ConstructorParameters<typeof WebSocketManager>[0],
    { information, permit }: Pick<Parts, 'information' | 'permit'>,
  ) {
    super(options);
    this.information = information;
    this.permit = permit;
  }

  override async fetchGatewayInformation(): Promise<APIGatewayBotInfo> {
    const { session_start_limit: starts, ...rest } = await this.information();
    await this.permit(rest.url);
    // The library would refuse to resume when no session starts remain, although resuming needs none. `mayBegin` decides who may start a
    // session.
    return { ...rest, session_start_limit: { ...starts, remaining: Math.max(1, starts.remaining) } };
  }
}

/** Opens one shard with its own manager, so that it can be closed without the others. */
function openShard(options: Parts): OpenShard {
  const { shardId, shardCount, log } = options;
  let session: SessionInfo | null = options.session
    ? {
        shardId,
        shardCount,
        sessionId: options.session.sessionId,
        resumeURL: options.session.resumeUrl,
        sequence: options.session.sequence,
      }
    : null;
  const { token, rest, time } = options;
  const backoff = createBackoff({ ...reconnecting, random: options.random, nowMs: () => time.nowMs() });
  const left = new AbortController();
  let isClosing = false;
  let failures = 0;
  let isConnected = false;
  let isFatal = false;
  /** How the last connection ended; undefined for the first one. */
  let lastClose: { code: number } | undefined;

  /** Waits until it may connect. The library requests the session right before it opens a connection. */
  async function beforeConnecting(): Promise<SessionInfo | null> {
    if (lastClose !== undefined) {
      const delayMs = backoff.nextDelayMs();
      log.warn('The connection to the Discord gateway was closed; reconnecting.', {
        shardId,
        closeCode: lastClose.code,
        delayMs,
      });
      await time.sleepUntil(time.nowMs() + delayMs, left.signal);
    }
    // The library reconnects half a second after some closes, even if it was stopped in between. A promise that never settles prevents
    // that; an error would end the process.
    if (isClosing) return new Promise<never>(() => undefined);
    // An error here would end the process. Without a session, the shard starts a new one at its original URL.
    return session === null || (await isPermitted(session.resumeURL)) ? session : null;
  }
  const isPermitted = (url: string) =>
    options.permit(url).then(
      () => true,
      () => false,
    );
  let strategy: SimpleShardingStrategy | undefined;
  const manager = new ShardManager(
    {
      token,
      buildStrategy: (built) => {
        strategy = new SimpleShardingStrategy(built);
        return strategy;
      },
      intents,
      rest,
      shardIds: [shardId],
      shardCount,
      retrieveSessionInfo: () => (isConnected ? session : beforeConnecting()),
      // The library also drops sessions that could be resumed: those of a shard that could not be reached, or that was closed with a code
      // that allows resuming.
      updateSessionInfo: (_id, report) => {
        const isClosedResumably = !isConnected && lastClose !== undefined && !endsSession(lastClose.code);
        const isResumable = failures < mostFailures && (failures > 0 || isClosedResumably);
        if (!isClosing && (report !== null || !isResumable)) session = report;
      },
      buildIdentifyThrottler: () => ({ waitForIdentify: (_id, signal) => options.mayBegin(signal) }),
    },
    options,
  );
  const fail = (error: unknown) => {
    if (!isClosing && !isFatal) options.onFailed(error instanceof Error ? error.message : String(error));
  };
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    if (isClosing || session === null) return;
    const { sessionId, resumeURL: resumeUrl } = session;
    options.onEvent(readEvent(payload), { sessionId, resumeUrl, sequence: payload.s });
  });
  manager.on(WebSocketShardEvents.Error, fail);
  manager.on(WebSocketShardEvents.Hello, () => {
    failures = 0;
    isConnected = true;
  });
  manager.on(WebSocketShardEvents.SocketError, (error) => {
    failures += 1;
    log.warn('The connection to the Discord gateway failed.', { shardId, error: error.message });
  });
  const report = (isOpen: boolean, code?: number) =>
    observed.gateway.record({
      platform: 'discord',
      shard: String(shardId),
      isOpen,
      ...(code !== undefined && { code: String(code) }),
    });
  const opened = () => {
    backoff.succeeded();
    report(true);
  };
  manager.on(WebSocketShardEvents.Ready, opened);
  manager.on(WebSocketShardEvents.Resumed, opened);
  manager.on(WebSocketShardEvents.Closed, (closeCode) => {
    isConnected = false;
    lastClose = { code: closeCode };
    report(false, closeCode);
    const reason = fatalReason(closeCode);
    if (reason !== undefined && !isClosing) {
      isFatal = true;
      options.onFailed(reason, closeCode);
    } else if (endsSession(closeCode)) session = null;
  });
  manager.connect().catch(fail);
  return {
    close: async () => {
      isClosing = true;
      left.abort();
      const opening = findOpeningConnection(strategy, shardId);
      opening?.on('error', () => undefined);
      const ended = new AbortController();
      // Do not wait for a peer that does not close its side.
      await Promise.race([
        manager.destroy({ code: comingBack, reason: 'Going on elsewhere' }),
        delay(farewellMs, undefined, { signal: ended.signal }).catch(() => undefined),
      ]);
      ended.abort();
      opening?.terminate();
    },
  };
}

/** A connection of the library, which is a `ws` socket. */
interface Connection {
  readonly CONNECTING: number;
  readyState: number;
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

/**
 * Returns the connection of a shard during its handshake. The library leaves it open, without an error listener, when it destroys the
 * shard, so that a reset by the peer would end the process. The library offers no access to it, hence the reflection.
 */
function findOpeningConnection(strategy: SimpleShardingStrategy | undefined, shardId: number): Connection | undefined {
  const shards: Map<number, object> | undefined = strategy && Reflect.get(strategy, 'shards');
  const shard = shards?.get(shardId);
  const connection: Connection | null | undefined = shard && Reflect.get(shard, 'connection');
  return connection && connection.readyState === connection.CONNECTING ? connection : undefined;
}

/**
 * Close codes after which Discord documents "reconnect: false"; each needs a change by a person.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const fatalReasons: ReadonlyMap<number, string> = new Map([
  [GatewayCloseCodes.AuthenticationFailed, 'Authentication failed: the bot token is not valid.'],
  [GatewayCloseCodes.InvalidShard, 'Invalid shard: the shard number is out of range for the shard count.'],
  [GatewayCloseCodes.ShardingRequired, 'Sharding required: the bot is in too many servers for this shard count.'],
  [GatewayCloseCodes.InvalidAPIVersion, 'Invalid API version.'],
  [GatewayCloseCodes.InvalidIntents, 'Invalid intents.'],
  [
    GatewayCloseCodes.DisallowedIntents,
    'Disallowed intents: turn on the bot’s Server Members Intent in the Discord developer portal.',
  ],
]);

/** Returns why Discord permanently rejects the shard; undefined for codes after which it may reconnect. */
export function fatalReason(code: number): string | undefined {
  return fatalReasons.get(code);
}

/** WebSocket's codes for a deliberate close. Discord ends the session on them. */
const goodbye: readonly number[] = [1000, 1001];

/** Codes after which the session is gone and a new one must start. All others allow resuming. */
const newSession: ReadonlySet<number> = new Set([
  ...goodbye,
  GatewayCloseCodes.NotAuthenticated,
  GatewayCloseCodes.InvalidSeq,
  GatewayCloseCodes.SessionTimedOut,
]);

export function endsSession(code: number): boolean {
  return newSession.has(code) || fatalReasons.has(code);
}

/** A gateway dispatch. `d` is any JSON. */
interface Dispatched {
  t: string;
  d: unknown;
}

/**
 * Parses a gateway event; undefined for events that are not used. A malformed event is dropped; if it was about a member, the members of
 * its server are re-checked.
 */
export function readEvent({ t, d }: Dispatched): DiscordEvent | undefined {
  const read = parseEntry(d, { source: 'discord', kind: 'event' }, (value) => parseEvent(t, value));
  if (read !== undefined) return read.parsed;
  const guildId: unknown = Object(d).guild_id;
  const isAboutMember = membersChange.has(t) && typeof guildId === 'string' && /^\d{1,20}$/.test(guildId);
  return isAboutMember ? { kind: 'member-unreadable', guildId } : undefined;
}

const membersChange: ReadonlySet<string> = new Set([
  GatewayDispatchEvents.GuildMemberAdd,
  GatewayDispatchEvents.GuildMemberUpdate,
  GatewayDispatchEvents.GuildMemberRemove,
]);

const guildOf = ({ guild_id: id }: Fields) => snowflakeOf(id, 'the server of an event');
const idOf = ({ id }: Fields) => snowflakeOf(id, 'the id in an event');

/** Throws `Malformed`. */
function parseEvent(t: string, value: unknown): DiscordEvent | undefined {
  switch (t) {
    case GatewayDispatchEvents.GuildMemberAdd:
    case GatewayDispatchEvents.GuildMemberUpdate: {
      const { user, roles, pending } = parseMember(value);
      const joinedAt = new Date(String(fieldsOf(value, 'an event').joined_at));
      return {
        kind: t === GatewayDispatchEvents.GuildMemberAdd ? 'member-joined' : 'member-updated',
        guildId: guildOf(fieldsOf(value, 'an event')),
        userId: user.id,
        userName: user.username,
        roleIds: roles,
        isBot: user.bot ?? false,
        ...(pending && { isPending: true }),
        ...(!Number.isNaN(joinedAt.getTime()) && { joinedAt }),
      };
    }
    case GatewayDispatchEvents.GuildMemberRemove: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'member-left', guildId: guildOf(d), userId: idOf(fieldsOf(d.user, 'the user of an event')) };
    }
    case GatewayDispatchEvents.MessageCreate: {
      const d = fieldsOf(value, 'an event');
      const author = fieldsOf(d.author, 'the author of a message');
      const isOfNobody = flagOf(author.bot, 'whether an author is a bot') || d.webhook_id !== undefined;
      if (d.guild_id === undefined || isOfNobody) return undefined;
      return { kind: 'message', guildId: guildOf(d), userId: idOf(author) };
    }
    case GatewayDispatchEvents.GuildCreate: {
      const d = fieldsOf(value, 'an event');
      // During outages only a guild's id is sent. Afterwards the guild is sent in full again.
      if (flagOf(d.unavailable, 'whether a server is unavailable')) return undefined;
      const ownerId = snowflakeOf(d.owner_id, 'the owner of a server');
      return { kind: 'guild-joined', guildId: idOf(d), name: nameOf(d.name, 'the name of a server'), ownerId };
    }
    case GatewayDispatchEvents.GuildDelete: {
      const d = fieldsOf(value, 'an event');
      // During outages Discord sends GUILD_DELETE with `unavailable` for guilds that the bot did not leave.
      return flagOf(d.unavailable, 'whether a server is unavailable')
        ? undefined
        : { kind: 'guild-left', guildId: idOf(d) };
    }
    case GatewayDispatchEvents.GuildUpdate:
      return { kind: 'guild-updated', guildId: idOf(fieldsOf(value, 'an event')) };
    case GatewayDispatchEvents.InviteCreate: {
      const d = fieldsOf(value, 'an event');
      // An invite without roles lets people in, which no rule forbids.
      const isPlain = d.role_ids === undefined || (Array.isArray(d.role_ids) && d.role_ids.length === 0);
      return isPlain || d.guild_id === undefined ? undefined : { kind: 'invite-created', guildId: guildOf(d) };
    }
    case GatewayDispatchEvents.GuildIntegrationsUpdate:
      return { kind: 'integrations-changed', guildId: guildOf(fieldsOf(value, 'an event')) };
    case GatewayDispatchEvents.ChannelCreate:
    case GatewayDispatchEvents.ChannelUpdate:
    case GatewayDispatchEvents.ChannelDelete:
      return { kind: 'channel-changed', guildId: guildOf(fieldsOf(value, 'an event')) };
    case GatewayDispatchEvents.GuildRoleCreate:
    case GatewayDispatchEvents.GuildRoleUpdate: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'role-updated', guildId: guildOf(d), roleId: idOf(fieldsOf(d.role, 'the role of an event')) };
    }
    case GatewayDispatchEvents.GuildRoleDelete: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'role-updated', guildId: guildOf(d), roleId: snowflakeOf(d.role_id, 'the role of an event') };
    }
    case GatewayDispatchEvents.InteractionCreate:
      return { kind: 'interaction', interaction: value };
    default:
      return undefined;
  }
}
