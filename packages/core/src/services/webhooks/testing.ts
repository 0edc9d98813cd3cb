import { type Sql, startWorker, type Worker } from '@latchkey/db';
import type { Actor, EventType, JobKind, JobRun } from '@latchkey/kernel';
import { type Context, contextFor } from '../../shared/context.ts';
import { patienceMs, type TestPlatform } from '../../testing/index.ts';
import { deliver } from './deliver.ts';
import { emit, fanOut } from './emit.ts';
import { putEndpoint } from './endpoint.ts';
import { webhookJobs } from './jobs.ts';
import type { DeliveryRow } from './queries.ts';

const system: Actor = { kind: 'system', job: 'test' };

interface Receiver {
  owner: Actor & { kind: 'user' };
  clientId: string;
  url: string;
  secret: string;
}

let receivers = 0;

/** Creates an application of a new owner that subscribes to the given events. */
export async function newReceiver(
  t: TestPlatform,
  subscribeEvents: EventType[] = ['client-app.api-key-reset'],
  owner: Receiver['owner'] = {
    kind: 'user',
    userId: `DIS#USER#8${++receivers}`,
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  },
): Promise<Receiver> {
  const ctx = t.as(owner);
  const clientId = t.services.random.id();
  const url = `https://${clientId.toLowerCase()}.example/hook`;
  const { secret = '' } = await ctx.tx((tx) =>
    putEndpoint(ctx, tx, { clientId, ownerId: owner.userId, url, subscribeEvents }),
  );
  return { owner, clientId, url, secret };
}

/** Emits an event about an application, in a transaction of its owner. */
export function emitEvent(
  t: TestPlatform,
  { owner, clientId }: Receiver,
  type: EventType = 'client-app.api-key-reset',
) {
  const ctx = t.as(owner);
  return ctx.tx((tx) => emit(ctx, tx, type, { ownerId: owner.userId, clientId, payload: { clientId } }));
}

/** Runs one attempt of a job as the worker would. */
export function run<Payload>(
  t: TestPlatform,
  kind: { run(ctx: Context, payload: Payload, job: JobRun): Promise<void> },
  payload: Payload,
  options: { attempt?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { attempt = 1, signal = new AbortController().signal } = options;
  return kind.run(t.as(system), payload, { id: '1', attempt, signal });
}

/** Starts a real worker for webhooks. It uses the real time, which external verifiers check. */
export function startWebhookWorker(t: TestPlatform): Worker {
  const services = { ...t.services, clock: () => new Date() };
  return startWorker({
    db: services.db,
    patienceMs,
    // The worker calls every kind with a matching payload, which the type of a mixed list cannot express.
    kinds: webhookJobs as readonly unknown[] as readonly JobKind[],
    random: services.random,
    log: services.log,
    validate: () => undefined,
    makeContext: () => contextFor(services, system),
  });
}

/** Emits an event, fans it out and returns the one resulting delivery. */
export async function newDelivery(t: TestPlatform, receiver: Receiver): Promise<DeliveryRow> {
  const { id } = await emitEvent(t, receiver);
  await run(t, fanOut, { eventId: id });
  const [delivery] = await deliveriesOf(t.services.db.system, id);
  if (delivery === undefined) throw new Error('The event has no delivery.');
  return delivery;
}

export function deliveriesOf(db: Sql, eventId: string): Promise<DeliveryRow[]> {
  return db.selectFrom('webhook_deliveries').selectAll().where('event_id', '=', eventId).orderBy('id').execute();
}

/** Attempts a delivery and returns its row, and the error that requests a retry, if there was one. */
export async function tryDelivery(
  t: TestPlatform,
  { id, event_id, round }: DeliveryRow,
  options: { attempt?: number; signal?: AbortSignal } = {},
): Promise<{ row: DeliveryRow; error: unknown }> {
  const error = await run(t, deliver, { deliveryId: id, round }, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const row = (await deliveriesOf(t.services.db.system, event_id)).find((found) => found.id === id);
  if (row === undefined) throw new Error('The delivery is gone.');
  return { row, error };
}

/** A response of an external server. */
export function answer(status: number) {
  return { status, headers: {}, body: new Uint8Array() };
}

/** Returns the requests that were sent to a receiver. */
export function requestsTo(t: TestPlatform, { url }: Pick<Receiver, 'url'>) {
  return t.requests.filter((request) => request.url === url);
}
