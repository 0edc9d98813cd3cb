import { sql } from '@latchkey/db';
import { aliceId } from './identities.ts';
import type { Samples } from './sample-request.ts';
import type { World } from './set-up-world.ts';

/** What Telegram told the bot: alice’s request to join, which was declined, and a link around the gate, which was revoked. */
export async function sampleGate({ server, community: { id } }: Pick<World, 'community' | 'server'>): Promise<Samples> {
  const { system } = server.services.db;
  const [slug, wayId] = ['sample-join-request', 'sample-way'];
  await sql`insert into telegram_join_queries (slug, community_id, user_id, query_id, reply_to, asked_at, outcome)
    values (${slug}, ${id}, ${aliceId}, 'query', '7001', now(), 'declined') on conflict do nothing`.execute(system);
  await sql`insert into gate_bypasses (community_id, user_id, user_name, joined_at, way_id, kind, link, is_own)
    values (${id}, ${aliceId}, 'Alice', now(), ${wayId}, 'link', 'https://t.me/+sample', true)`.execute(system);
  await sql`insert into revoked_ways (community_id, way_id, revoked_at)
    values (${id}, ${wayId}, now()) on conflict do nothing`.execute(system);
  return {
    'POST /latchkey/telegram-join-requests/{slug}/check slug': slug,
    'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke bypassId': wayId,
  };
}
