import { setTimeout as delay } from 'node:timers/promises';
import type { REST } from '@discordjs/rest';
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { OpenShard, ShardOptions } from '@latchkey/core/ports';
import { type Log, observed } from '@latchkey/kernel';
import { type APIGatewayBotInfo, GatewayIntentBits } from 'discord-api-types/v10';
import { readEvent } from './read-event.ts';

const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildMessages;
/** Any code but 1000 and 1001, with which a session ends. */
const comingBack = 4200;
const farewellMs = 3_000;
/** So often an address for resuming may fail before the session is given up. */
const mostFailures = 20;

interface Parts extends ShardOptions {
  token: string;
  rest: REST;
  log: Log;
  /** The library connects by itself, so each address is judged before it learns of it. */
  permit(url: string): Promise<void>;
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
  let isClosing = false;
  let failures = 0;
  const { token, rest } = options;
  const manager = new ShardManager(
    {
      token,
      intents,
      rest,
      shardIds: [shardId],
      shardCount,
      // The library connects anew half a second after some ends, also when it was told to stop in between. A question
      // that is never answered keeps it from that; an error would end the process.
      retrieveSessionInfo: async () => {
        if (isClosing) return new Promise<never>(() => undefined);
        // An error here would end the process; without a session the shard begins a new one at the address it was given.
        const isOpen =
          session === null ||
          (await options.permit(session.resumeURL).then(
            () => true,
            () => false,
          ));
        return isOpen ? session : null;
      },
      // It also forgets the session of a shard that is closed, whatever the code, and of one that could not be reached.
      updateSessionInfo: (_id, told) => {
        const isUnreachable = failures > 0 && failures < mostFailures;
        if (!isClosing && (told !== null || !isUnreachable)) session = told;
      },
      buildIdentifyThrottler: () => ({ waitForIdentify: (_id, signal) => options.mayBegin(signal) }),
    },
    options,
  );
  const fail = (error: unknown) => {
    if (!isClosing) options.onFailed(error instanceof Error ? error.message : String(error));
  };
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    if (isClosing || session === null) return;
    const { sessionId, resumeURL: resumeUrl } = session;
    options.onEvent(readEvent(payload), { sessionId, resumeUrl, sequence: payload.s });
  });
  manager.on(WebSocketShardEvents.Error, fail);
  manager.on(WebSocketShardEvents.Hello, () => {
    failures = 0;
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
  manager.on(WebSocketShardEvents.Ready, () => tell(true));
  manager.on(WebSocketShardEvents.Resumed, () => tell(true));
  manager.on(WebSocketShardEvents.Closed, (closeCode) => {
    tell(false, closeCode);
    log.info('The gateway of Discord was closed.', { shardId, closeCode });
  });
  manager.connect().catch(fail);
  return {
    close: async () => {
      isClosing = true;
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
