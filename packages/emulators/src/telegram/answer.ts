import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseBody, readBytes } from '../http/read-body.ts';
import type { Misbehaviours } from '../misbehave.ts';
import type { Call, Method, Webhooks } from './call.ts';
import { errorBody, TelegramError, tooMany } from './errors.ts';
import type { CallLimits } from './limits.ts';
import { chatMethods } from './methods/chats.ts';
import { inviteMethods } from './methods/invites.ts';
import { memberMethods } from './methods/members.ts';
import { messageMethods } from './methods/messages.ts';
import { updateMethods } from './methods/updates.ts';
import { Params } from './params.ts';
import type { Bot } from './types.ts';
import type { World } from './world.ts';

/** Their names are read without regard to case, as Telegram does. */
const methods = new Map<string, { name: string; run: Method }>(
  Object.entries({ ...chatMethods, ...memberMethods, ...inviteMethods, ...messageMethods, ...updateMethods }).map(
    ([name, run]) => [name.toLowerCase(), { name, run }],
  ),
);

/** What the emulator was asked and how it answered. */
export interface Counts {
  requests: number;
  byMethod: Record<string, number>;
  byStatus: Record<number, number>;
  /** Answers of 429. */
  rateLimited: number;
  /** Writes that changed nothing. */
  noOpWrites: number;
  /** Writes answered as done and not done. */
  lostWrites: number;
}

export function createCounts(): Counts {
  return { requests: 0, byMethod: {}, byStatus: {}, rateLimited: 0, noOpWrites: 0, lostWrites: 0 };
}

export interface Answering {
  world: World;
  limits: CallLimits;
  misbehaviours: Misbehaviours;
  webhooks: Webhooks;
  queries: Call['queries'];
  counts: () => Counts;
}

export interface Answer {
  status: number;
  body: unknown;
}

export async function answer(on: Answering, request: IncomingMessage, url: URL): Promise<Answer | 'hang' | 'cut'> {
  const bytes = await readBytes(request);
  const [, token = '', name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
  const method = methods.get(name.toLowerCase());
  const spoiled = await spoil(on, method?.name ?? name);
  if (typeof spoiled === 'string') return spoiled;
  const reply = spoiled ?? (await reach());
  const counts = on.counts();
  counts.requests += 1;
  counts.byMethod[method?.name ?? 'unknown'] = (counts.byMethod[method?.name ?? 'unknown'] ?? 0) + 1;
  counts.byStatus[reply.status] = (counts.byStatus[reply.status] ?? 0) + 1;
  if (reply.status === 429) counts.rateLimited += 1;
  return reply;

  async function reach(): Promise<Answer> {
    if (token === '') return failed(new TelegramError(404, 'Not Found'));
    const bot = on.world.bots.get(token);
    if (bot === undefined) return failed(new TelegramError(401, 'Unauthorized'));
    const body = await parseBody(bytes ?? Buffer.alloc(0), request.headers['content-type']);
    if (body === undefined) return failed(new TelegramError(400, "Bad Request: can't parse request body"));
    return run(on, bot, name, { ...Object.fromEntries(url.searchParams), ...Object(body) });
  }
}

/** Runs a method for a bot; also when a webhook answers with one. */
export async function run(
  on: Answering,
  bot: Bot,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const method = methods.get(name.toLowerCase());
  const mailbox = on.world.mailboxes.get(bot);
  if (method === undefined || mailbox === undefined) return failed(new TelegramError(404, 'Not Found'));
  const params = new Params(values);
  try {
    on.limits.take(bot.user.id, method.name, params.text('chat_id'));
    const call: Call = {
      world: on.world,
      bot,
      mailbox,
      webhooks: on.webhooks,
      method: method.name,
      params,
      misbehaviours: on.misbehaviours,
      queries: on.queries,
      changedNothing: () => {
        on.counts().noOpWrites += 1;
      },
      lostWrite: () => {
        on.counts().lostWrites += 1;
      },
    };
    return { status: 200, body: { ok: true, result: await method.run(call) } };
  } catch (error) {
    if (error instanceof TelegramError) return failed(error);
    throw error;
  }
}

function failed(error: TelegramError): Answer {
  return { status: error.code, body: errorBody(error) };
}

/** What the emulator was told to do wrong to this request, if anything. */
async function spoil({ misbehaviours }: Answering, method: string): Promise<Answer | 'hang' | 'cut' | undefined> {
  const latency = misbehaviours.strike('latency', method);
  if (latency) await sleep(latency.ms, undefined, { ref: false });
  if (misbehaviours.strike('outage', method)) return 'cut';
  if (misbehaviours.strike('hang', method)) return 'hang';
  const failure = misbehaviours.strike('error', method);
  if (failure)
    return failed(
      new TelegramError(failure.status ?? 502, failure.status === 500 ? 'Internal Server Error' : 'Bad Gateway'),
    );
  const refused = misbehaviours.strike('rate-limit', method);
  return refused && failed(tooMany(refused.retryAfterSeconds ?? 1));
}
