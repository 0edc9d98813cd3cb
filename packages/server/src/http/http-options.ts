import type { InteractionRequest } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import type { TelegramUpdates } from '../compose/telegram-updates.ts';
import type { Config } from '../config.ts';
import type { ConsoleTickets } from '../console/tickets.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { CallLog } from './call-log.ts';
import type { Server } from './visit.ts';

/** The dependencies of an HTTP server. */
export interface HttpOptions {
  server: Server;
  resources: readonly Resource[];
  config: Pick<Config, 'extraHosts' | 'trustedProxies'>;
  metrics: Metrics;
  /** Logs the calls of applications for their developers. */
  callLog?: CallLog | undefined;
  /** Verifies Discord's signature of a request; absent if its public key is not configured. */
  verifyInteraction?: ((request: InteractionRequest) => boolean) | undefined;
  /** Receives updates that Telegram posts; absent if no bot is configured. */
  telegramUpdates?: TelegramUpdates | undefined;
  /** Links that sign a browser in once; absent if none are issued. */
  tickets?: ConsoleTickets | undefined;
  /** Whether this process can do its work; otherwise the readiness check fails. */
  isReady(): Promise<boolean>;
}
