import { setTimeout as delay } from 'node:timers/promises';
import type { REST } from '@discordjs/rest';
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { OpenShard, ShardOptions } from '@latchkey/core/ports';
import { createBackoff, type Log, observed, type Random } from '@latchkey/kernel';
import { type APIGatewayBotInfo, GatewayIntentBits } from 'discord-api-types/v10';
import type { Time } from '../governor/index.ts';
import { endsSession, fatalReason } from './close-codes.ts';
import { readEvent } from './read-event.ts';

const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildMessages;
/** Any code but 1000 and 1001, with which a session ends. */
const comingBack = 4200;
const farewellMs = 3_000;
/** So often an address for resuming may fail before the session is given up. */
const mostFailures = 20;
const reconnecting = { firstMs: 1_000, longestMs: 60_000, stableMs: 60_000 };

interface Parts extends ShardOptions {
  token: string;
  rest: REST;
  log: Log;
  /** The library connects by itself, so each address is judged before it learns of it. */
  permit(url: string): Promise<void>;
  random: Pick<Random, 'bytes'>;
  time: Time;
  information(): Promise<APIGatewayBotInfo>;
}

/** Asks nobody by itself how the gateway is to be opened: with many shards that would be many questions. */
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
export function openShard(options: Parts): OpenShard {
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
  const manager = new ShardManager(
    {
      token,
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
    log.warn('The connection to the gateway of Discord failed.', { shardId, error: error.message });
  });
  const tell = (isOpen: boolean, code?: number) =>
    observed.gateway.tell({
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
      const ended = new AbortController();
      // A peer that does not say goodbye is not waited for.
      await Promise.race([
        manager.destroy({ code: comingBack, reason: 'Going on elsewhere' }),
        delay(farewellMs, undefined, { signal: ended.signal }).catch(() => undefined),
      ]);
      ended.abort();
    },
  };
}
