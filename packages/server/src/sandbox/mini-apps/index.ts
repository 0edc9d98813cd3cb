import {
  contextFor,
  decideClientApp,
  decideMiniApp,
  ensureConfirmedOrganization,
  issueAeToken,
  type Services,
} from '@latchkey/core';
import type { Actor, Log } from '@latchkey/kernel';
import { fetchTo } from '../../egress/index.ts';
import { type AppWorld, sampleApps } from './apps.ts';
import { serveSampleApps } from './serve-apps.ts';

/** The user in whose organization the sample mini-apps are. */
type Developer = Extract<Actor, { kind: 'user' }>;

interface Place {
  /** The server’s address on this machine. */
  serverUrl: string;
  port: number;
  log: Log;
}

const organization = { name: 'Sample mini-apps', email: 'mini-apps@sample.example' };
const clientName = 'Who am I';
const tokenSeconds = 600;

/**
 * Starts the sample mini-apps and has them listed, as a developer and the operator would: registered, reviewed, probed and
 * listed through the API of the running server. Keeps what an earlier start registered.
 */
export async function startSampleApps(
  services: Services,
  developer: Developer,
  { serverUrl, port, log }: Place,
): Promise<{ url: string; stop(): Promise<void> }> {
  const ctx = contextFor(services, developer);
  await ensureConfirmedOrganization(ctx, organization);
  const token = await issueAeToken(ctx, { ...developer, ttlSeconds: tokenSeconds });
  const fetch = fetchTo([serverUrl, services.settings.baseUrl]);
  const call = caller(fetch, serverUrl, token);
  const organizationId = (await call<{ sk: string }[]>('GET', '/dev-orgs'))[0]?.sk.replace('ORG#', '') ?? '';
  const { actionEd25519PublicKeyHex: ed25519 } = await call<{ actionEd25519PublicKeyHex: string }>('GET', '/config');
  const clientId = await ensureClient(services, call, organizationId);
  const onError = (error: unknown) => log.warn('A sample mini-app failed.', { error });
  const draw = (sides: number) => (Buffer.from(services.random.bytes(4)).readUInt32BE() % sides) + 1;
  const served = await serveSampleApps({ keys: { ed25519 }, fetch, draw, clientId, onError }, port);
  try {
    await listApps(services, call, organizationId, served.url);
  } catch (error) {
    await served.stop();
    throw error;
  }
  return served;
}

type Call = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

function caller(fetch: AppWorld['fetch'], serverUrl: string, token: string): Call {
  return async <Answer>(method: string, path: string, body?: object) => {
    const response = await fetch(`${serverUrl}${path}`, {
      method,
      headers: { authorization: `AE ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The sample mini-apps could not be set up: ${method} ${path} returned ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}

const operatorOf = (services: Services) => contextFor(services, { kind: 'system', job: 'sample-world' });

/** Returns the application in whose name a mini-app asks for permissions. */
async function ensureClient(services: Services, call: Call, organizationId: string): Promise<string> {
  const { items } = await call<{ items: { id: string; name: string; status: string }[] }>('GET', '/client-apps');
  const app =
    items.find(({ name }) => name === clientName) ??
    (await call<{ id: string; status: string }>('POST', '/client-apps', { pk: organizationId, name: clientName }));
  if (app.status !== 'APPROVED')
    await decideClientApp(operatorOf(services), { id: app.id, decision: 'approve', scopes: ['user:read'] });
  return app.id;
}

interface Registered {
  id: string;
  name: string;
  url: string;
  status: string;
}

async function listApps(services: Services, call: Call, organizationId: string, home: string): Promise<void> {
  const own = await call<Registered[]>('GET', `/miniapps/dev-orgs/${organizationId}`);
  for (const { name, path, description } of sampleApps) {
    const url = `${home}/${path}`;
    const known = own.find((app) => app.name === name);
    if (known?.status === 'LISTED' && known.url === url) continue;
    // The address of an approved app cannot change, and an earlier start may have used another port.
    if (known !== undefined) await call('DELETE', `/miniapps/${known.id}`);
    const body = { pk: organizationId, name, description, url };
    const { id } = await call<Registered>('POST', '/miniapps', body);
    for (const decision of ['approve', 'list'] as const) await decideMiniApp(operatorOf(services), { id, decision });
  }
}
