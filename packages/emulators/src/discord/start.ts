import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Match, Router } from '../http/router.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import { authenticate } from './authenticate.ts';
import type { Actor, Call, Define, Route } from './call.ts';
import { createGuildControl, type GuildControl } from './control/guilds.ts';
import { createPeopleControl, type PeopleControl } from './control/people.ts';
import { answerControl, type ControlRoutes, createControlRoutes } from './control/serve-control.ts';
import { type Counts, countRequest, createCounts } from './counts.ts';
import { DiscordError, errorBody, refusal } from './errors.ts';
import { isFields } from './fields.ts';
import { Gateway } from './gateway/serve-gateway.ts';
import { RequestLimits } from './limits/limit-request.ts';
import { createLimits, type LimitOptions, type Limits } from './limits/limits.ts';
import { Grants } from './oauth/grants.ts';
import { json, type Reply } from './reply.ts';
import { defineApplications } from './routes/applications.ts';
import { defineCommands } from './routes/commands.ts';
import { defineGateway } from './routes/gateway.ts';
import { defineGuilds } from './routes/guilds.ts';
import { defineInteractions } from './routes/interactions.ts';
import { defineInvites } from './routes/invites.ts';
import { defineMembers } from './routes/members.ts';
import { defineMessages } from './routes/messages.ts';
import { defineOAuth } from './routes/oauth.ts';
import { defineOnboarding } from './routes/onboarding.ts';
import { defineRoleConnections } from './routes/role-connections.ts';
import { defineRoles } from './routes/roles.ts';
import { defineUsers } from './routes/users.ts';
import { createApplication, type NewApplication } from './state/applications.ts';
import type { Application } from './state/types.ts';
import { World } from './state/world.ts';

const routes = [
  defineMembers,
  defineRoles,
  defineGuilds,
  defineInvites,
  defineOnboarding,
  defineMessages,
  defineUsers,
  defineApplications,
  defineCommands,
  defineRoleConnections,
  defineInteractions,
];

export interface DiscordEmulatorOptions {
  /** 0 picks a free port. */
  port?: number;
  host?: string;
  /** Milliseconds since 1970. All limits and ages follow it, so a test can use its own time. */
  clock?: Clock;
  limits?: LimitOptions;
  /** Randomness, tokens and signing keys are derived from it, so that a run can be repeated. */
  seed?: string;
  /** The application that `npm start` and most tests use. More can be created. */
  application?: NewApplication;
  /** How long an application has to respond to an interaction. Three seconds by default; tests on a busy machine may allow more. */
  answerWithinMs?: number;
}

/** Discord as far as bots need it, over real HTTP and a real gateway. */
export interface DiscordEmulator extends GuildControl, PeopleControl {
  /** The base URL of the REST API. */
  url: string;
  gatewayUrl: string;
  /** The base URL of icons, like cdn.discordapp.com. */
  cdnUrl: string;
  /** A page that shows the guilds, their members and their roles. */
  controlUrl: string;
  application: Application;
  gateway: Gateway;
  /** What it serves, such as `GET /guilds/:guild`. */
  routes: readonly string[];
  /** May be changed at any time. */
  limits: Limits;
  counts(): Counts;
  resetCounts(): void;
  /** Starts a fault and returns a function that ends it. */
  misbehave(what: Misbehaviour): () => void;
  /** Ends all faults. */
  behave(): void;
  stop(): Promise<void>;
}

export async function startDiscordEmulator(options: DiscordEmulatorOptions = {}): Promise<DiscordEmulator> {
  const { port = 0, host = '127.0.0.1', clock = systemMs, seed = 'emulator' } = options;
  const world = new World(clock, seed, options.answerWithinMs);
  const misbehaviours = new Misbehaviours(clock, createDice(world.derive('dice').readUInt32BE(0)));
  const limits = createLimits(options.limits);
  const application = createApplication(world, options.application);
  const grants = new Grants(world, limits);
  let address = '';
  let counts = createCounts();
  const gatewayUrl = () => `ws://${address}`;
  const router = createRouter([
    ...routes,
    defineOAuth(grants),
    defineGateway(gatewayUrl, limits, () => gateway.starts),
  ]);
  const answering = { world, limits: new RequestLimits(clock, limits), misbehaviours, counts: () => counts, router };
  const server = createServer((request, response) => {
    answerAny(answering, controlRoutes, request)
      // A caller that disconnected receives nothing. A bug in the emulator looks like a failure of Discord.
      .catch((error) => json(500, { message: '500: Internal Server Error', code: 0, emulator: String(error) }))
      .then((reply) => send(request, response, reply));
  });
  const gateway = new Gateway(server, { world, limits, misbehaviours, url: gatewayUrl });
  const control = {
    ...createGuildControl(world, application),
    ...createPeopleControl(world, application, grants),
    counts: () => structuredClone(counts),
    resetCounts: () => {
      counts = createCounts();
    },
    misbehave: (what: Misbehaviour) => {
      if (what.kind === 'outage' && what.on === undefined) gateway.cut();
      return misbehaviours.start(what);
    },
    behave: () => misbehaviours.clear(),
  };
  const controlRoutes = createControlRoutes(control);
  address = await listen(server, port, host);
  world.origin = `http://${address}`;
  const stop = async () => {
    gateway.stop();
    await close(server);
  };
  const urls = {
    url: `http://${address}/api`,
    gatewayUrl: gatewayUrl(),
    cdnUrl: `http://${address}`,
    controlUrl: `http://${address}/emulator`,
  };
  return { ...control, ...urls, application, gateway, routes: router.labels(), limits, stop };
}

/** Serves the emulator's own pages, or Discord's. */
async function answerAny(
  answering: Answering,
  controlRoutes: ControlRoutes,
  request: IncomingMessage,
): Promise<Reply | Silence> {
  const { url = '/', method = 'GET' } = request;
  if (!/^\/emulator(?=[/?]|$)/.test(url)) {
    return answer(answering, request, url.startsWith('/api/') ? url.slice('/api'.length) : url);
  }
  const body = await parseBody((await readBytes(request)) ?? Buffer.alloc(0));
  return answerControl(controlRoutes, method, url.split('?')[0] ?? '', body);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply | Silence): void {
  if (reply === 'hang') return;
  if (reply === 'cut') {
    request.socket.destroy();
    return;
  }
  const { status, headers, body } = reply;
  response.writeHead(status, body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** What handling a REST request needs. */
interface Answering {
  world: World;
  limits: RequestLimits;
  misbehaviours: Misbehaviours;
  /** Replaced when a test resets the counts. */
  counts: () => Counts;
  router: Router<Route>;
}

/** A request without a response: the connection is cut, or stays open without one. */
type Silence = 'cut' | 'hang';

function createRouter(groups: readonly ((define: Define) => void)[]): Router<Route> {
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
/** The versions that Discord serves: 6 to 8 are deprecated, 9 and 10 available. Without a version, it uses its default. */
const versions: ReadonlySet<string | undefined> = new Set(['6', '7', '8', '9', '10', undefined]);

async function answer(on: Answering, request: IncomingMessage, url: string): Promise<Reply | Silence> {
  const { method = 'GET' } = request;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const [prefix = '', version] = /^\/v(\d+)(?=\/)/.exec(path) ?? [];
  const match = on.router.find(method, path.slice(prefix.length));
  const label = match.kind === 'found' ? match.label : 'unknown';
  const requested = { request, match, version, query: mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1)) };
  const bytes = await readBytes(request);

  const spoiled = await spoil(on, label, match);
  if (typeof spoiled === 'string') return spoiled;
  const banned = on.limits.banPage();
  const reply = banned ?? spoiled ?? (await reach(on, requested, bytes));
  countRequest(on.counts(), label, reply.status);
  if (exchanges.hasSubscribers) exchanges.publish(recordOf(request, url, bytes, reply));
  if (banned === undefined && on.limits.countInvalid(reply)) on.counts().invalid += 1;
  return reply;
}

/** Publishes every exchange, so that a test can check them against Discord's own description. */
const exchanges = channel('latchkey.discord-emulator');

/** A request as it arrived and the response to it. Credentials are left out. */
export interface DiscordExchange {
  method: string;
  /** Below `/api`, with the version and the query. */
  url: string;
  userAgent: string | undefined;
  contentType: string | undefined;
  body: string;
  status: number;
  reply: string | undefined;
}

function recordOf(
  { method = 'GET', headers }: IncomingMessage,
  url: string,
  bytes: Buffer | undefined,
  { status, body, headers: sent }: Reply,
): DiscordExchange {
  return {
    method,
    url,
    userAgent: headers['user-agent'],
    contentType: headers['content-type'],
    body: bytes?.toString() ?? '',
    status,
    reply: sent?.['content-type']?.startsWith('application/json') ? String(body) : undefined,
  };
}

interface RoutedRequest {
  request: IncomingMessage;
  match: Match<Route>;
  /** From the path; undefined without one. */
  version: string | undefined;
  query: URLSearchParams;
}

/** Checks in Discord's order: the route, the caller, the rate limit, the request. */
async function reach(
  on: Answering,
  { request, match, version, query }: RoutedRequest,
  bytes: Buffer | undefined,
): Promise<Reply> {
  try {
    if (!versions.has(version)) throw refusal('invalidVersion');
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

/** A refusal by the route itself has the headers of its bucket too. */
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

/** Returns the fault to apply to this request, if any. */
async function spoil(
  { misbehaviours, limits }: Answering,
  label: string,
  match: Match<Route>,
): Promise<Reply | Silence | undefined> {
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
  const bucket = match.kind === 'found' ? match.target.bucket : 'other';
  return refused && limits.refuse(refused.retryAfterSeconds ?? 1, refused.scope ?? 'shared', bucket);
}
