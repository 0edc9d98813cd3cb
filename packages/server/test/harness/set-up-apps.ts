import { contextFor, decideClientApp } from '@latchkey/core';
import { type Call, caller } from './call-api.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

/** Creates an approved application that is notified of its approval, by a webhook without a receiver. */
export async function makeApp(server: TestServer, call: Call, body: Record<string, string>): Promise<string> {
  const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', subscribeEvents: ['client-app.status-changed'] };
  const { id } = await call('POST', '/client-apps', { ...body, ...webhook });
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  await decideClientApp(operator, { id, decision: 'approve', scopes: ['user:read'] });
  return id;
}

/** Returns the event that notified the application of its approval. */
export async function findDelivery(server: TestServer, call: Call, appId: string): Promise<string> {
  await server.worker.idle();
  const { items } = await call('GET', `/latchkey/client-apps/${appId}/deliveries`);
  return items[0].id;
}

/** An application whose webhook is never removed, and an event that was sent to it. */
export function sampleDeliveries(appId: string, deliveryId: string): Samples {
  const path = '/latchkey/client-apps/{id}/deliveries';
  return {
    deliveryId,
    [`GET ${path} id`]: appId,
    [`GET ${path}/{deliveryId} id`]: appId,
    [`POST ${path}/{deliveryId}/resend id`]: appId,
    [`POST ${path}/replay id`]: appId,
    'POST /latchkey/client-apps/{id}/events/replay id': appId,
  };
}

/** Changes of applications are made to one that nothing else needs. */
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
    'GET /latchkey/client-apps/{id}/oauth-settings id': secretAppId,
    'PUT /latchkey/client-apps/{id}/oauth-settings id': secretAppId,
    'PUT /latchkey/client-apps/{id}/oauth-settings id_token_signed_response_alg': 'RS256',
    'PUT /latchkey/client-apps/{id}/oauth-settings post_logout_redirect_uris': ['https://app.example/signed-out'],
    'PUT /latchkey/client-apps/{id}/requested-scopes id': secretAppId,
    'PUT /latchkey/client-apps/{id}/requested-scopes scopes': ['user:read'],
  };
}

const accessPath = '/latchkey/communities/{communityId}/applications/{clientId}';

/** Creates an application of another owner with access to alice's community. */
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
