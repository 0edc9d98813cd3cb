import type { InteractionRequest } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import type { TelegramUpdates } from '../compose/telegram-updates.ts';
import type { Config } from '../config.ts';
import type { ConsoleTickets } from '../console/tickets.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { CallLog } from './call-log.ts';
import type { Server } from './visit.ts';

/** What an HTTP server is made of. */
export interface HttpOptions {
  server: Server;
  resources: readonly Resource[];
  config: Pick<Config, 'extraHosts' | 'trustedProxies'>;
  metrics: Metrics;
  /** Notes the calls of applications for their developers. */
  callLog?: CallLog | undefined;
  /** Whether Discord signed a request; absent where its key is not configured. */
  verifyInteraction?: ((request: InteractionRequest) => boolean) | undefined;
  /** Takes in what Telegram posts; absent where no bot is configured. */
  telegramUpdates?: TelegramUpdates | undefined;
  /** Links that sign a browser in once; absent where none are made. */
  tickets?: ConsoleTickets | undefined;
  /** False makes the readiness check fail; true only when this process can do its work. */
  isReady(): Promise<boolean>;
}
