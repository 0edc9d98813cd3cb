import type { Log } from '@latchkey/kernel';
import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { keepSession } from './session.ts';

export type Listener = (message: Record<string, unknown>) => void | Promise<void>;
export type Unsubscribe = () => void;

/** Short messages between all processes on one database. They reach current listeners and are not stored. */
export interface Bus {
  publish: typeof publish;
  subscribe(topic: string, listener: Listener): Unsubscribe;
  /** Called when the bus listens again after an interruption, to read what may have been missed. */
  onReconnect(listener: () => void | Promise<void>): Unsubscribe;
  /** Resolves when the bus listens for the first time. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface BusOptions {
  url: string;
  log: Log;
}

const channel = 'latchkey_bus';
const mostBytes = 7_000;
const patienceMs = 5_000;

/** Sends a message to every process, this one too, when the transaction behind `sql` commits. */
export async function publish(sql: Sql, topic: string, message: object): Promise<void> {
  const text = JSON.stringify({ topic, message });
  if (Buffer.byteLength(text) > mostBytes) {
    throw new Error(
      `A message on "${topic}" is larger than ${mostBytes} bytes: store the data and publish a reference to it.`,
    );
  }
  await raw`select pg_notify(${channel}, ${text})`.execute(sql);
}

/** Starts to listen, on its own connection, which is reopened whenever it breaks. */
export function openBus({ url, log }: BusOptions): Bus {
  const listeners = new Map<string, Set<Listener>>();
  const reconnectListeners = new Set<() => void | Promise<void>>();
  const firstOpening = Promise.withResolvers<void>();
  let openings = 0;

  function call(listener: () => void | Promise<void>): void {
    new Promise<void>((resolve) => resolve(listener())).catch((error) => {
      log.error('A bus listener failed.', { reason: String(error) });
    });
  }

  function deliver(text: string): void {
    const envelope = parse(text);
    if (envelope === undefined) {
      log.warn('Malformed bus message.');
      return;
    }
    for (const listener of listeners.get(envelope.topic) ?? []) call(() => listener(envelope.message));
  }

  const session = keepSession({
    connection: {
      connectionString: url,
      application_name: 'latchkey-bus',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    },
    log,
    patienceMs,
    opened: async (opened) => {
      await opened.query(`listen ${channel}`);
      openings += 1;
      if (openings === 1) firstOpening.resolve();
      else for (const listener of reconnectListeners) call(listener);
    },
    onMessage: (_channel, text) => deliver(text),
  });

  return {
    publish,
    subscribe: (topic, listener) => {
      const same = listeners.get(topic) ?? new Set();
      listeners.set(topic, same.add(listener));
      return () => same.delete(listener);
    },
    onReconnect: (listener) => {
      reconnectListeners.add(listener);
      return () => reconnectListeners.delete(listener);
    },
    ready: () => firstOpening.promise,
    close: () => session.close(),
  };
}

function parse(text: string): { topic: string; message: Record<string, unknown> } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEnvelope(value: unknown): value is { topic: string; message: Record<string, unknown> } {
  if (typeof value !== 'object' || value === null || !('topic' in value) || !('message' in value)) return false;
  return typeof value.topic === 'string' && typeof value.message === 'object' && value.message !== null;
}
