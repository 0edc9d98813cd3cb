import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Match, Router } from '../http/router.ts';
import type { Misbehaviours } from '../misbehave.ts';
import { authenticate } from './authenticate.ts';
import type { Actor, Call, Define, Route } from './call.ts';
import { type Counts, countRequest } from './counts.ts';
import { DiscordError, errorBody, refusal } from './errors.ts';
import { isFields } from './fields.ts';
import type { RequestLimits } from './limits/limit-request.ts';
import { json, type Reply } from './reply.ts';
import type { World } from './state/world.ts';

/** The parts that answering a REST request needs. */
export interface Answering {
  world: World;
  limits: RequestLimits;
  misbehaviours: Misbehaviours;
  /** Replaced when a test starts counting anew. */
  counts: () => Counts;
  router: Router<Route>;
}

/** A request that gets no answer: the connection is cut, or stays open in silence. */
export type Silence = 'cut' | 'hang';

export function createRouter(groups: readonly ((define: Define) => void)[]): Router<Route> {
  const router = new Router<Route>();
  for (const group of groups) {
    group((label, bucket, handle, { isOpen = false } = {}) => {
      const [method = '', pattern = ''] = label.split(' ');
      router.add(method, pattern, { bucket, handle, isOpen });
    });
  }
  return router;
}

const noQuery = new URLSearchParams();

export async function answer(on: Answering, request: IncomingMessage, url: string): Promise<Reply | Silence> {
  const { method = 'GET' } = request;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const match = on.router.find(method, path.replace(/^\/v\d+(?=\/)/, ''));
  const label = match.kind === 'found' ? match.label : 'unknown';
  const asked = { request, match, query: mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1)) };
  const bytes = await readBytes(request);

  const spoiled = await spoil(on, label);
  if (typeof spoiled === 'string') return spoiled;
  const banned = on.limits.banPage();
  const reply = banned ?? spoiled ?? (await reach(on, asked, bytes));
  countRequest(on.counts(), label, reply.status);
  if (banned === undefined && on.limits.countInvalid(reply)) on.counts().invalid += 1;
  return reply;
}

interface Asked {
  request: IncomingMessage;
  match: Match<Route>;
  query: URLSearchParams;
}

/** Checks in Discord's order: is there such a route, who asks, how often, and what. */
async function reach(on: Answering, { request, match, query }: Asked, bytes: Buffer | undefined): Promise<Reply> {
  try {
    if (match.kind === 'nothing') throw refusal('notFound');
    if (match.kind === 'wrong-method') throw refusal('wrongMethod');
    const { target, params, label } = match;
    const actor = authenticate(on.world, request.headers.authorization);
    if (actor.kind === 'nobody' && !target.isOpen) throw refusal('unauthorized');
    const majorId = params.guild ?? params.channel ?? params.token ?? '';
    const verdict = on.limits.take({ caller: callerOf(actor), bucket: target.bucket, majorId });
    if (verdict.kind === 'refused') return verdict.reply;
    const body = await parseBody(bytes ?? Buffer.alloc(0), request.headers['content-type']);
    if (body === undefined || bytes === undefined) throw refusal('invalidJson');
    const call: Call = {
      world: on.world,
      actor,
      label,
      params,
      query,
      body: isFields(body) ? body : {},
      list: Array.isArray(body) ? body : undefined,
      reason: readReason(request),
      misbehaviours: on.misbehaviours,
      changedNothing: () => {
        on.counts().noOpWrites += 1;
      },
      lostWrite: () => {
        on.counts().lostWrites += 1;
      },
    };
    return withHeaders(await settle(target, call), verdict.headers);
  } catch (error) {
    if (error instanceof DiscordError) return json(error.status, errorBody(error));
    throw error;
  }
}

/** A refusal of the route itself has the headers of its bucket too. */
async function settle(route: Route, call: Call): Promise<Reply> {
  try {
    return await route.handle(call);
  } catch (error) {
    if (error instanceof DiscordError) return json(error.status, errorBody(error));
    throw error;
  }
}

function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function callerOf(actor: Actor): string | undefined {
  if (actor.kind === 'nobody') return undefined;
  return actor.kind === 'user' ? actor.user.id : actor.application.id;
}

function readReason(request: IncomingMessage): string | undefined {
  const reason = request.headers['x-audit-log-reason'];
  if (typeof reason !== 'string') return undefined;
  try {
    return decodeURIComponent(reason);
  } catch {
    return reason;
  }
}

/** What the emulator was told to do wrong to this request, if anything. */
async function spoil({ misbehaviours, limits }: Answering, label: string): Promise<Reply | Silence | undefined> {
  const latency = misbehaviours.strike('latency', label);
  if (latency) await sleep(latency.ms, undefined, { ref: false });
  if (misbehaviours.strike('outage', label)) return 'cut';
  if (misbehaviours.strike('hang', label)) return 'hang';
  const failure = misbehaviours.strike('error', label);
  if (failure) {
    const { status = 502 } = failure;
    return { status, headers: { 'content-type': 'text/html' }, body: `<html><body><h1>${status}</h1></body></html>\n` };
  }
  const refused = misbehaviours.strike('rate-limit', label);
  return refused && limits.refuse(refused.retryAfterSeconds ?? 1, refused.scope ?? 'shared');
}
