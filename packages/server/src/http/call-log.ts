import { type AppCall, type CallBatch, linesPerMinute, type Services, writeCalls } from '@latchkey/core';
import type { Visit } from './visit.ts';

/** Logs the calls of applications, so that their developers can see them. */
export interface CallLog {
  note(visit: Visit, elapsedMs: number): void;
  /** Writes buffered calls. Never fails: calls that cannot be written are dropped. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

type DayCount = CallBatch['counts'][number];
type KeyUse = CallBatch['keyUses'][number];

const pauseMs = 2_000;
const maxWaiting = 2_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * Buffers calls in memory and writes them in batches, at least every two seconds, so that a call needs no query of its
 * own. A process that is killed loses those two seconds. Logs a limited number of lines per application and minute, but
 * counts every call.
 */
export function createCallLog(services: Pick<Services, 'clock' | 'db' | 'log' | 'settings'>): CallLog {
  const log = services.log.for('calls');
  let lines: AppCall[] = [];
  let counts = new Map<string, DayCount>();
  let keyUses = new Map<string, KeyUse>();
  let minute = 0;
  let linesOf = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function note(visit: Visit, elapsedMs: number): void {
    const call = toCall(visit, services.clock(), elapsedMs);
    if (call === undefined) return;
    countCall(call);
    if (call.credential !== 'token') noteKeyUse(call);
    if (services.settings.keepCalls !== false && isKept(call)) lines.push(call);
    timer ??= setTimeout(flush, pauseMs).unref();
  }

  function countCall({ clientId, calledAt, status }: AppCall): void {
    const key = `${clientId} ${Math.floor(calledAt.getTime() / dayMs)}`;
    let count = counts.get(key);
    if (count === undefined) {
      count = { clientId, day: calledAt.toISOString().slice(0, 10), calls: 0, refused: 0, failed: 0 };
      counts.set(key, count);
    }
    count.calls += 1;
    if (status >= 500) count.failed += 1;
    else if (status >= 400) count.refused += 1;
  }

  function noteKeyUse({ clientId, calledAt, credential }: AppCall): void {
    let use = keyUses.get(clientId);
    if (use === undefined) {
      use = { clientId, keyUsedAt: undefined, oldKeyUsedAt: undefined };
      keyUses.set(clientId, use);
    }
    if (credential === 'api-key') use.keyUsedAt = calledAt;
    else use.oldKeyUsedAt = calledAt;
  }

  function isKept({ clientId, calledAt }: AppCall): boolean {
    const now = Math.floor(calledAt.getTime() / minuteMs);
    if (now !== minute) {
      minute = now;
      linesOf = new Map();
    }
    const kept = linesOf.get(clientId) ?? 0;
    if (kept >= linesPerMinute || lines.length >= maxWaiting) return false;
    linesOf.set(clientId, kept + 1);
    return true;
  }

  async function write(): Promise<void> {
    const batch = { lines, counts: [...counts.values()], keyUses: [...keyUses.values()] };
    lines = [];
    counts = new Map();
    keyUses = new Map();
    if (batch.counts.length === 0) return;
    await writeCalls(services, batch).catch((error: unknown) => {
      log.warn('Failed to write application calls to the call log; developers will not see them.', {
        calls: batch.counts.reduce((sum, { calls }) => sum + calls, 0),
        cause: error,
      });
    });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return { note, flush, close: flush };
}

function toCall(
  { actor, client, operation, request, reply, errorCode }: Visit,
  calledAt: Date,
  elapsedMs: number,
): AppCall | undefined {
  if (!('client' in actor) || actor.client === undefined || client === undefined) return undefined;
  const withKey = request.headers['x-api-key'] !== undefined;
  return {
    clientId: actor.client.id,
    calledAt,
    method: operation.method,
    route: operation.path,
    status: reply.statusCode,
    errorCode,
    tookMs: Math.max(0, Math.round(elapsedMs)),
    requestId: request.id,
    credential: withKey ? (client.isOldKey ? 'old-api-key' : 'api-key') : 'token',
  };
}
