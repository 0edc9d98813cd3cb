import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { choosePerson, escapeHtml, writePage } from '../http/html.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import type { Call, Method, Webhooks } from './call.ts';
import { createControl, type TelegramControl } from './control.ts';
import { errorBody, TelegramError, tooMany } from './errors.ts';
import { CallLimits, createLimits, type Limits } from './limits.ts';
import { chatMethods, photoOf } from './methods/chats.ts';
import { inviteMethods } from './methods/invites.ts';
import { memberMethods } from './methods/members.ts';
import { keyboardOf, messageMethods } from './methods/messages.ts';
import { updateMethods } from './methods/updates.ts';
import { type MtprotoEmulator, type MtprotoOptions, startMtproto } from './mtproto/start.ts';
import { Params } from './params.ts';
import type { Bot, Chat, Message } from './types.ts';
import { viewChat, viewMessage } from './views.ts';
import { Webhook } from './webhook.ts';
import { World } from './world.ts';

export interface TelegramEmulatorOptions {
  /** 0 picks a free port. */
  port?: number;
  host?: string;
  /** Milliseconds since 1970. Limits, bans and links follow it. */
  clock?: Clock;
  limits?: Partial<Limits>;
  /** Randomness and tokens are derived from it, so that a run can be repeated. */
  seed?: string;
  bot?: { name?: string; username?: string; token?: string };
  /** The delay before a webhook is retried; it doubles with each failure. */
  webhookPauseMs?: number;
}

/** Telegram as far as bots need it: the Bot API over real HTTP, and the users behind it. */
export interface TelegramEmulator extends TelegramControl {
  /** The API root for clients. */
  url: string;
  /** A page that shows chats and messages. */
  controlUrl: string;
  bot: Bot;
  /** May be changed at any time. */
  limits: Limits;
  counts(): Counts;
  resetCounts(): void;
  /** Starts a fault and returns a function that ends it. Its label is the name of the method. */
  misbehave(what: Misbehaviour): () => void;
  /** Ends all faults. */
  behave(): void;
  /** Opens the data centers, which serve the same chats over Telegram's own protocol. They stop with the emulator. */
  openMtproto(options?: MtprotoOptions): Promise<MtprotoEmulator>;
  stop(): Promise<void>;
}

export async function startTelegramEmulator(options: TelegramEmulatorOptions = {}): Promise<TelegramEmulator> {
  const { port = 0, host = '127.0.0.1', clock = systemMs, seed = 'emulator', webhookPauseMs = 1000 } = options;
  const world = new World(clock, seed);
  const misbehaviours = new Misbehaviours(clock, createDice(world.derive('dice').readUInt32BE(0)));
  const limits = createLimits(options.limits);
  const queries: Answering['queries'] = new Map();
  let counts = createCounts();
  const hooks = new Map<Bot, Webhook>();
  const opened: MtprotoEmulator[] = [];
  const webhooks: Webhooks = {
    find: (bot) => hooks.get(bot),
    set: (bot, wanted) => {
      hooks.get(bot)?.stop();
      hooks.delete(bot);
      const mailbox = world.mailboxes.get(bot);
      if (wanted === undefined || mailbox === undefined) return;
      const onReply = (text: string) => void runReply(on, bot, text);
      hooks.set(
        bot,
        new Webhook(mailbox, wanted, { nowSeconds: () => world.nowSeconds(), firstPauseMs: webhookPauseMs, onReply }),
      );
    },
  };
  const on: Answering = {
    world,
    limits: new CallLimits(clock, limits),
    misbehaviours,
    webhooks,
    queries,
    counts: () => counts,
  };
  const control = createControl(world, queries, () => bot);
  const bot = control.createBot(options.bot);
  const server = createServer((request, response) => {
    route(on, control, request)
      // A caller that disconnected receives nothing. A bug in the emulator looks like a failure of Telegram.
      .catch((error): Answer => ({ status: 500, body: { ok: false, error_code: 500, description: String(error) } }))
      .then((reply) => send(request, response, reply));
  });
  const address = await listen(server, port, host);
  return {
    ...control,
    url: `http://${address}`,
    controlUrl: `http://${address}/emulator`,
    bot,
    limits,
    counts: () => structuredClone(counts),
    resetCounts: () => {
      counts = createCounts();
    },
    misbehave: (what) => misbehaviours.start(what),
    behave: () => misbehaviours.clear(),
    openMtproto: async (wanted) => {
      const mtproto = await startMtproto({ world, misbehaviours }, wanted);
      opened.push(mtproto);
      return mtproto;
    },
    stop: async () => {
      for (const hook of hooks.values()) hook.stop();
      for (const mailbox of world.mailboxes.values()) mailbox.stop();
      await Promise.all(opened.map((mtproto) => mtproto.stop()));
      await close(server);
    },
  };
}

async function route(
  on: Answering,
  control: TelegramControl,
  request: IncomingMessage,
): Promise<Answer | Page | FileAnswer | 'hang' | 'cut'> {
  const url = new URL(request.url ?? '/', 'http://emulator');
  const { method = 'GET' } = request;
  if (url.pathname.startsWith('/file/')) return findFile(on.world, url.pathname);
  if (!/^\/bot\d/.test(url.pathname)) {
    const body = await parseBody((await readBytes(request)) ?? Buffer.alloc(0), request.headers['content-type']);
    const page = answerPage({ world: on.world, control }, { method, url, fields: Object(body) });
    if (page !== undefined) return page;
  }
  if (url.pathname === '/emulator/chats')
    return { status: 200, body: control.chats().map((chat) => showChat(on.world, chat)) };
  if (url.pathname === '/emulator/messages') return { status: 200, body: control.sentMessages().map(viewMessage) };
  if (url.pathname === '/emulator') return { status: 200, body: { see: ['/emulator/chats', '/emulator/messages'] } };
  return answer(on, request, url);
}

/** A file that a bot received the path of. */
interface FileAnswer {
  status: number;
  bytes: Uint8Array;
}

function findFile(world: World, path: string): FileAnswer {
  const [, token = '', fileId = ''] = /^\/file\/bot([^/]+)\/photos\/([\w-]+)\.jpg$/.exec(path) ?? [];
  const photo = world.bots.has(token) ? photoOf(world, fileId) : undefined;
  return photo === undefined ? { status: 404, bytes: new Uint8Array() } : { status: 200, bytes: photo.bytes };
}

function showChat(world: World, chat: Chat) {
  const members = Array.from(chat.members.keys(), (id) => ({
    id,
    name: world.users.get(id)?.firstName,
    status: world.membershipOf(chat, id).status,
  }));
  return { ...viewChat(chat), members };
}

/** A webhook may respond to an update with one method call. The bot does not receive its result. */
async function runReply(on: Answering, bot: Bot, text: string): Promise<void> {
  try {
    const { method, ...values } = JSON.parse(text);
    if (typeof method === 'string') await run(on, bot, method, values);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Answer | Page | FileAnswer | 'hang' | 'cut',
): void {
  if (reply === 'hang') return;
  if (reply === 'cut') {
    request.socket.destroy();
    return;
  }
  if ('bytes' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/octet-stream' });
    response.end(reply.bytes);
    return;
  }
  if (!('body' in reply)) {
    const { status, location, html } = reply;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...(location && { location }) });
    response.end(html);
    return;
  }
  const body = JSON.stringify(reply.body);
  response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** A page for a browser, in place of Telegram's own clients. */
interface Page {
  status: number;
  html?: string;
  location?: string;
}

const linkPath = /^\/(\w{5,32})$/;
const chatPath = /^\/emulator\/conversations\/(\w+)\/(\d+)$/;

/** Serves t.me links, and conversations with bots. Undefined for any other path. */
function answerPage(
  { world, control }: { world: World; control: TelegramControl },
  { method, url, fields }: { method: string; url: URL; fields: Readonly<Record<string, unknown>> },
): Page | undefined {
  const [, linked] = linkPath.exec(url.pathname) ?? [];
  const bot = linked === undefined ? undefined : botOf(world, linked);
  if (bot !== undefined) return method === 'POST' ? start(bot, control, url, fields) : showLink(bot, world);
  const [, named = '', person = ''] = chatPath.exec(url.pathname) ?? [];
  const other = botOf(world, named);
  return other && showConversation(other, Number(person), world);
}

function botOf(world: World, name: string): Bot | undefined {
  return world.bots.values().find(({ user }) => user.username?.toLowerCase() === name.toLowerCase());
}

/** https://t.me/<bot>?start=…: Telegram's app opens the conversation, and its button sends the command. */
function showLink(bot: Bot, world: World): Page {
  const people = world.users.values().filter(({ isBot }) => !isBot);
  const form = choosePerson(
    people.map(({ id, firstName }) => ({ id: String(id), name: firstName })),
    [{ text: 'Start', decision: 'start' }],
  );
  const text = `<p>This is an emulator of Telegram. The button opens a conversation with the bot.</p>`;
  return { status: 200, html: writePage(`${bot.user.firstName} @${bot.user.username}`, `${text}\n${form}`) };
}

function start(bot: Bot, control: TelegramControl, url: URL, fields: Readonly<Record<string, unknown>>): Page {
  const argument = url.searchParams.get('start') ?? '';
  const person = Number(fields.user);
  if (!/^[\w-]{0,64}$/.test(argument))
    return { status: 400, html: writePage('Telegram', '<p>This link is wrong.</p>') };
  control.speakToBot(person, `/start ${argument}`.trim(), bot);
  return { status: 303, location: `/emulator/conversations/${bot.user.username}/${person}` };
}

function showConversation(bot: Bot, person: number, world: World): Page {
  const messages = [...(bot.direct.get(person)?.messages.values() ?? [])];
  const name = world.users.get(person)?.firstName ?? 'nobody';
  const isWaiting = messages.at(-1)?.from.isBot === false;
  const refresh = isWaiting ? '<meta http-equiv="refresh" content="1">' : '';
  const body = messages.map(showMessage).join('\n');
  return { status: 200, html: writePage(`${bot.user.firstName} and ${name}`, body, refresh) };
}

function showMessage({ from, text, replyMarkup }: Message): string {
  const buttons = keyboardOf(replyMarkup).flat().map(showButton).join(' ');
  const lines = escapeHtml(text).replaceAll('\n', '<br>');
  return `<article><b>${escapeHtml(from.firstName)}</b><p>${lines}</p>${buttons}</article>`;
}

/** Only links can be pressed on a page; other buttons need the emulator's control functions. */
function showButton(button: unknown): string {
  const { text, url } = Object(button) as { text?: unknown; url?: unknown };
  if (typeof url !== 'string') return `<button disabled>${escapeHtml(String(text))}</button>`;
  return `<a href="${escapeHtml(url)}">${escapeHtml(String(text))}</a>`;
}

/** Method names are case-insensitive, as at Telegram. */
const methods = new Map<string, { name: string; run: Method }>(
  Object.entries({ ...chatMethods, ...memberMethods, ...inviteMethods, ...messageMethods, ...updateMethods }).map(
    ([name, run]) => [name.toLowerCase(), { name, run }],
  ),
);

/** The requests that the emulator received and its responses. */
export interface Counts {
  requests: number;
  byMethod: Record<string, number>;
  byStatus: Record<number, number>;
  /** Responses of 429. */
  rateLimited: number;
  /** Writes that changed nothing. */
  noOpWrites: number;
  /** Writes that were acknowledged but not done. */
  lostWrites: number;
}

function createCounts(): Counts {
  return { requests: 0, byMethod: {}, byStatus: {}, rateLimited: 0, noOpWrites: 0, lostWrites: 0 };
}

interface Answering {
  world: World;
  limits: CallLimits;
  misbehaviours: Misbehaviours;
  webhooks: Webhooks;
  queries: Call['queries'];
  counts: () => Counts;
}

interface Answer {
  status: number;
  body: unknown;
}

async function answer(on: Answering, request: IncomingMessage, url: URL): Promise<Answer | 'hang' | 'cut'> {
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

/** Runs a method for a bot, also when a webhook responds with one. */
async function run(on: Answering, bot: Bot, name: string, values: Readonly<Record<string, unknown>>): Promise<Answer> {
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

/** Returns the fault to apply to this request, if any. */
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
