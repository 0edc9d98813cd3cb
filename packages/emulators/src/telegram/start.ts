import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import { type Answer, type Answering, answer, type Counts, createCounts, run } from './answer.ts';
import type { Webhooks } from './call.ts';
import { createControl, type TelegramControl } from './control.ts';
import { CallLimits, createLimits, type Limits } from './limits.ts';
import { photoOf } from './methods/chats.ts';
import { type MtprotoEmulator, type MtprotoOptions, startMtproto } from './mtproto/start.ts';
import { answerPage, type Page } from './pages.ts';
import type { Bot, Chat } from './types.ts';
import { viewChat, viewMessage } from './views.ts';
import { Webhook } from './webhook.ts';
import { World } from './world.ts';

export interface TelegramEmulatorOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  /** Milliseconds since 1970. Limits, bans and links follow it. */
  clock?: Clock;
  limits?: Partial<Limits>;
  /** Chance and tokens follow from it, so that a run can be repeated. */
  seed?: string;
  bot?: { name?: string; username?: string; token?: string };
  /** How soon a webhook is tried again; it doubles with each failure. */
  webhookPauseMs?: number;
}

/** Telegram as far as bots need it: the Bot API over real HTTP, and the people behind it. */
export interface TelegramEmulator extends TelegramControl {
  /** Give it to a client as its API root. */
  url: string;
  /** Shows chats and messages to a browser. */
  controlUrl: string;
  bot: Bot;
  /** May be changed at any time. */
  limits: Limits;
  counts(): Counts;
  resetCounts(): void;
  /** Starts a fault and answers how to end it. Its label is the name of the method. */
  misbehave(what: Misbehaviour): () => void;
  /** Ends all faults. */
  behave(): void;
  /** Opens the data centers, which show the same chats over Telegram's own protocol. They stop with the emulator. */
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
      // A caller that hung up in the middle hears nothing; a fault of the emulator itself looks like one of Telegram's.
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

/** A file that a bot was told the path of. */
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

/** A webhook may answer an update with one call of a method. What comes of it, the bot does not learn. */
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
