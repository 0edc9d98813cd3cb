import { sql } from '@latchkey/db';
import { aliceId } from './identities.ts';
import type { Samples } from './sample-request.ts';
import type { World } from './set-up-world.ts';

/**
 * What Telegram told the bot: alice’s request to join, which was declined, and a link around the gate, which was revoked.
 * What was found in Discord: an invite around the rules, from a check that no later one replaces.
 */
export async function sampleGate({ server, community: { id } }: Pick<World, 'community' | 'server'>): Promise<Samples> {
  const { system } = server.services.db;
  const [slug, wayId] = ['sample-join-request', 'sample-way'];
  await sql`insert into telegram_join_queries (slug, community_id, user_id, query_id, reply_to, asked_at, outcome)
    values (${slug}, ${id}, ${aliceId}, 'query', '7001', now(), 'declined') on conflict do nothing`.execute(system);
  await sql`insert into gate_bypasses (community_id, user_id, user_name, joined_at, way_id, kind, link, is_own)
    values (${id}, ${aliceId}, 'Alice', now(), ${wayId}, 'link', 'https://t.me/+sample', true)`.execute(system);
  await sql`insert into revoked_ways (community_id, way_id, revoked_at)
    values (${id}, ${wayId}, now()) on conflict do nothing`.execute(system);
  const doorId = 'sample-door';
  await sql`insert into back_doors (community_id, door_id, role_id, kind, name, details, found_at)
    values (${id}, ${doorId}, '1', 'invite', 'sample', ${'{"code":"sample"}'}::jsonb, now()) on conflict do nothing`.execute(
    system,
  );
  await sql`insert into back_door_checks (community_id, due_at, begun_at, checked_at)
    values (${id}, now() + interval '1 day', now() + interval '1 day', now()) on conflict do nothing`.execute(system);
  return {
    'POST /latchkey/telegram-join-requests/{slug}/check slug': slug,
    'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke bypassId': wayId,
    'POST /latchkey/communities/{communityId}/back-doors/{backDoorId}/close backDoorId': doorId,
    'PUT /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected backDoorId': doorId,
    'DELETE /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected backDoorId': doorId,
  };
}
