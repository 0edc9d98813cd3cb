import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import { type Answering, answer, createRouter, type Silence } from './answer.ts';
import { createGuildControl, type GuildControl } from './control/guilds.ts';
import { createPeopleControl, type PeopleControl } from './control/people.ts';
import { answerControl, type ControlRoutes, createControlRoutes } from './control/serve-control.ts';
import { type Counts, createCounts } from './counts.ts';
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
import { defineMembers } from './routes/members.ts';
import { defineMessages } from './routes/messages.ts';
import { defineOAuth } from './routes/oauth.ts';
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
  defineMessages,
  defineUsers,
  defineApplications,
  defineCommands,
  defineRoleConnections,
  defineInteractions,
];

export interface DiscordEmulatorOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  /** Milliseconds since 1970. All limits and ages follow it, so a test can run on a time of its own. */
  clock?: Clock;
  limits?: LimitOptions;
  /** Chance, tokens and signing keys follow from it, so that a run can be repeated. */
  seed?: string;
  /** The application that `npm start` and most tests use; more can be created. */
  application?: NewApplication;
  /** How long an application has to answer an interaction: three seconds, but tests on a busy machine may give more. */
  answerWithinMs?: number;
}

/** Discord as far as bots need it, over real HTTP and a real gateway. */
export interface DiscordEmulator extends GuildControl, PeopleControl {
  /** The base of REST: give it to a client as its API address. */
  url: string;
  gatewayUrl: string;
  /** The base of pictures, as cdn.discordapp.com. */
  cdnUrl: string;
  /** Shows the guilds, their members and their roles to a browser. */
  controlUrl: string;
  application: Application;
  gateway: Gateway;
  /** May be changed at any time. */
  limits: Limits;
  counts(): Counts;
  resetCounts(): void;
  /** Starts a fault and answers how to end it. */
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
      // A caller that hung up in the middle hears nothing; a fault of the emulator itself looks like one of Discord's.
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
  return { ...control, ...urls, application, gateway, limits, stop };
}

/** The emulator's own pages, or Discord's. */
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
