import { allowSigningDomain, contextFor, createAdminKey } from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { Call } from './call-api.ts';
import type { Samples } from './sample-request.ts';
import { miniAppBody } from './set-up-partners.ts';
import type { TestServer } from './test-server.ts';

const route = (method: string, rest: string) => `${method} /latchkey/operator/${rest}`;

/** Creates an application and a mini-app that wait for review, a ticket, a key that may be revoked, and an entry in each list. */
export async function sampleOperator(
  server: TestServer,
  call: Call,
  { organizationId, communityId }: { organizationId: string; communityId: string },
): Promise<Samples> {
  const app = await call('POST', '/client-apps', { name: 'Waiting' });
  const miniApp = await call('POST', '/miniapps', miniAppBody(organizationId));
  const { id: keyId } = await createAdminKey(server.services, 'spare');
  const signing = await call('POST', '/client-apps', { name: 'Signing' });
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  await allowSigningDomain(operator, { clientId: String(signing.id), domain: 'name:Snapshot' });
  await server.request('PUT', `/latchkey/operator/waiting-list/guests/${encodeURIComponent('DIS#USER#7')}`, {
    headers: { 'x-api-key': server.adminKey },
  });
  const { rows } = await sql<{ id: number }>`
    insert into support_tickets (desk, id, created_by_id, community_id, email, content, status, priority, created_at, updated_at)
    values ('own', nextval('support_ticket_ids'), 'DIS#USER#0', 'DIS#COMM#0', 'someone@example.org',
      '{"subject": "Help", "description": "<b>Please</b>"}', 2, 1, now(), now())
    returning id`.execute(server.services.db.system);
  return {
    [`${route('POST', 'applications/{id}/decision')} id`]: String(app.id),
    [`${route('POST', 'mini-apps/{id}/decision')} id`]: String(miniApp.id),
    [`${route('DELETE', 'admin-keys/{id}')} id`]: keyId,
    [`${route('POST', 'tickets/{id}/decision')} id`]: Number(rows[0]?.id),
    [`${route('POST', 'communities/{communityId}/transfer')} communityId`]: communityId,
    // What one allows, the other revokes.
    [`${route('POST', 'applications/{clientId}/signing-domains')} clientId`]: String(app.id),
    [`${route('DELETE', 'applications/{clientId}/signing-domains/{domain}')} clientId`]: String(app.id),
  };
}
