import { setTimeout as delay } from 'node:timers/promises';
import { REST } from '@discordjs/rest';
import { type SessionInfo, SimpleShardingStrategy, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { type Fields, fieldsOf, flagOf, nameOf, parseEntry } from '@latchkey/adapter-kit';
import type { DiscordEvent, DiscordGateway, OpenShard, ShardOptions } from '@latchkey/core/ports';
import { createBackoff, type Log, observed, type Random } from '@latchkey/kernel';
import {
  type APIGatewayBotInfo,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  Routes,
} from 'discord-api-types/v10';
import { monotonicTime, type Time } from '../governor/index.ts';
import { parseMember, snowflakeOf } from '../parse/parse-objects.ts';
import { type DiscordClientOptions, discordApiUrl } from '../rest/create-client.ts';
import { requestsBy } from '../rest/create-rest.ts';

export interface GatewayOptions extends Pick<DiscordClientOptions, 'token' | 'apiUrl' | 'fetch'> {
  log: Log;
  /** Refuses an address of the gateway that this server may not connect to. */
  permit(url: string): Promise<void>;
  /** For the jitter of reconnects. */
  random: Pick<Random, 'bytes'>;
  time?: Time;
}

/** The gateway of Discord with one bot. */
export function createDiscordGateway(options: GatewayOptions): DiscordGateway {
  const { token, apiUrl = discordApiUrl, log, fetch, permit, random, time = monotonicTime } = options;
  // Only asked for the address of the gateway, which has a limit of its own.
  const rest = new REST({ api: apiUrl, version: '10', makeRequest: requestsBy(fetch) }).setToken(token);
  let known: Promise<APIGatewayBotInfo> | undefined;
  const read = () => {
    const asked = rest.get(Routes.gatewayBot()) as Promise<APIGatewayBotInfo>;
    known = asked;
    asked.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked;
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

const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildMessages;
/** Any code but 1000 and 1001, with which a session ends. */
const comingBack = 4200;
const farewellMs = 3_000;
/** How often a resume URL may fail before the session is given up. */
const mostFailures = 20;
const reconnecting = { firstMs: 1_000, longestMs: 60_000, stableMs: 60_000 };

interface Parts extends ShardOptions {
  token: string;
  rest: REST;
  log: Log;
  /** The library connects by itself, so each URL is checked before it is passed on. */
  permit(url: string): Promise<void>;
  random: Pick<Random, 'bytes'>;
  time: Time;
  information(): Promise<APIGatewayBotInfo>;
}

/** Does not ask how the gateway is to be opened: with many shards that would be many requests. */
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
    // The library would refuse to resume when no session may begin, though that costs none. Who may begin is decided in
    // `mayBegin`.
    return { ...rest, session_start_limit: { ...starts, remaining: Math.max(1, starts.remaining) } };
  }
}

/** Opens one shard with a manager of its own, so that it can be closed without the others. */
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
  /** How the last connection ended; undefined on the first one. */
  let lastClose: { code: number } | undefined;

  /** Waits until it may connect. The library asks for the session right before it opens a connection. */
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
    // The library connects half a second after some closes, even if it was told to stop in between. A promise that never
    // settles keeps it from that; an error would end the process.
    if (isClosing) return new Promise<never>(() => undefined);
    // An error here would end the process; without a session the shard begins a new one at the address it was given.
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
      // The library also forgets sessions that could be resumed: of a shard that could not be reached, or that was closed
      // with a code after which Discord lets it resume.
      updateSessionInfo: (_id, told) => {
        const isClosedResumably = !isConnected && lastClose !== undefined && !endsSession(lastClose.code);
        const isResumable = failures < mostFailures && (failures > 0 || isClosedResumably);
        if (!isClosing && (told !== null || !isResumable)) session = told;
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
  const tell = (isOpen: boolean, code?: number) =>
    observed.gateway.record({
      platform: 'discord',
      shard: String(shardId),
      isOpen,
      ...(code !== undefined && { code: String(code) }),
    });
  const opened = () => {
    backoff.succeeded();
    tell(true);
  };
  manager.on(WebSocketShardEvents.Ready, opened);
  manager.on(WebSocketShardEvents.Resumed, opened);
  manager.on(WebSocketShardEvents.Closed, (closeCode) => {
    isConnected = false;
    lastClose = { code: closeCode };
    tell(false, closeCode);
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
      // A peer that does not say goodbye is not waited for.
      await Promise.race([
        manager.destroy({ code: comingBack, reason: 'Going on elsewhere' }),
        delay(farewellMs, undefined, { signal: ended.signal }).catch(() => undefined),
      ]);
      ended.abort();
      opening?.terminate();
    },
  };
}

/** A connection of the library, which is one of `ws`. */
interface Connection {
  readonly CONNECTING: number;
  readyState: number;
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

/**
 * The connection of a shard whose handshake is not over. The library would leave it open when it destroys the shard, and
 * without an error listener, so that a reset by the peer would end the process. It offers no access, hence the reflection.
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

/** Why Discord refuses the shard for good; undefined for codes after which it may reconnect. */
export function fatalReason(code: number): string | undefined {
  return fatalReasons.get(code);
}

/** WebSocket's own codes for a deliberate goodbye; Discord ends the session with them. */
const goodbye: readonly number[] = [1000, 1001];

/** Codes after which the session is gone, so that a new one must begin. All others may resume. */
const newSession: ReadonlySet<number> = new Set([
  ...goodbye,
  GatewayCloseCodes.NotAuthenticated,
  GatewayCloseCodes.InvalidSeq,
  GatewayCloseCodes.SessionTimedOut,
]);

export function endsSession(code: number): boolean {
  return newSession.has(code) || fatalReasons.has(code);
}

/** What the gateway sends; nothing is known of `d` but that it was JSON. */
interface Dispatched {
  t: string;
  d: unknown;
}

/**
 * Translates what the gateway tells; undefined for what nobody here waits for. A malformed event costs that event; if it
 * was about a member, the members of its server are re-checked.
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
      return {
        kind: t === GatewayDispatchEvents.GuildMemberAdd ? 'member-joined' : 'member-updated',
        guildId: guildOf(fieldsOf(value, 'an event')),
        userId: user.id,
        userName: user.username,
        roleIds: roles,
        isBot: user.bot ?? false,
        ...(pending && { isPending: true }),
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
      // During outages only a guild's id is sent; when they are over, it is sent again.
      if (flagOf(d.unavailable, 'whether a server is unavailable')) return undefined;
      const ownerId = snowflakeOf(d.owner_id, 'the owner of a server');
      return { kind: 'guild-joined', guildId: idOf(d), name: nameOf(d.name, 'the name of a server'), ownerId };
    }
    case GatewayDispatchEvents.GuildDelete: {
      const d = fieldsOf(value, 'an event');
      // During outages Discord deletes guilds that nobody left, and says so.
      return flagOf(d.unavailable, 'whether a server is unavailable')
        ? undefined
        : { kind: 'guild-left', guildId: idOf(d) };
    }
    case GatewayDispatchEvents.GuildUpdate:
      return { kind: 'guild-updated', guildId: idOf(fieldsOf(value, 'an event')) };
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
