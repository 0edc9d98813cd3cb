import { contextFor, decideClientApp } from '@latchkey/core';
import { type Call, caller } from './call-api.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

/** An approved application that hears of its approval, by a webhook that nobody answers. */
export async function makeApp(server: TestServer, call: Call, body: Record<string, string>): Promise<string> {
  const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', subscribeEvents: ['client-app.status-changed'] };
  const { id } = await call('POST', '/client-apps', { ...body, ...webhook });
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  await decideClientApp(operator, { id, decision: 'approve', scopes: ['user:read'] });
  return id;
}

/** The event that told the application of its approval. */
export async function findDelivery(server: TestServer, call: Call, appId: string): Promise<string> {
  await server.worker.idle();
  const { items } = await call('GET', `/latchkey/client-apps/${appId}/deliveries`);
  return items[0].id;
}

/** An application whose webhook nobody takes away, and an event that it was told. */
export function sampleDeliveries(appId: string, deliveryId: string): Samples {
  const path = '/latchkey/client-apps/{id}/deliveries';
  return {
    deliveryId,
    [`GET ${path} id`]: appId,
    [`GET ${path}/{deliveryId} id`]: appId,
    [`POST ${path}/{deliveryId}/resend id`]: appId,
    [`POST ${path}/replay id`]: appId,
  };
}

/** What is changed of applications is changed of one that nothing else needs. */
export function sampleApps(secretAppId: string): Samples {
  return {
    'POST /latchkey/client-apps/{id}/client-secret id': secretAppId,
    'POST /latchkey/client-apps/{id}/webhook-secret id': secretAppId,
    'PUT /latchkey/client-apps/{id}/webhook id': secretAppId,
    'DELETE /latchkey/client-apps/{id}/webhook id': secretAppId,
    'PUT /latchkey/client-apps/{id}/origins id': secretAppId,
    'PUT /latchkey/client-apps/{id}/origins allowedOrigins': ['https://origin.example'],
    'POST /latchkey/client-apps/{id}/api-key id': secretAppId,
    'DELETE /latchkey/client-apps/{id}/api-key/old id': secretAppId,
    'POST /latchkey/client-apps/{id}/webhook/test id': secretAppId,
    'PUT /latchkey/client-apps/{id}/redirect-uris id': secretAppId,
    'PUT /latchkey/client-apps/{id}/redirect-uris redirectUris': ['https://app.example/return'],
    'PUT /latchkey/client-apps/{id}/requested-scopes id': secretAppId,
    'PUT /latchkey/client-apps/{id}/requested-scopes scopes': ['user:read'],
  };
}

const accessPath = '/latchkey/communities/{communityId}/applications/{clientId}';

/** An application of another owner that alice has let into her community. */
export async function letAppIn(server: TestServer, alice: string, communityId: string): Promise<string> {
  const { id } = await server.apiKey(['community:read']);
  const path = `/latchkey/communities/${encodeURIComponent(communityId)}/applications/${id}`;
  await caller(server, alice)('PUT', path, {});
  return id;
}

export function sampleAccess(clientId: string): Samples {
  return {
    [`PUT ${accessPath} clientId`]: clientId,
    [`PUT ${accessPath} scopes`]: ['community:read'],
    [`DELETE ${accessPath} clientId`]: clientId,
  };
}
