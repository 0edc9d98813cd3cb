import { sql } from '@latchkey/db';
import { caller } from '../call-api.ts';
import { aliceId } from '../identities.ts';
import { people } from '../outside-world.ts';
import { keyAssertion, keyRule } from '../set-up-community.ts';
import type { World } from '../set-up-world.ts';

/** Puts something into each list that the reference shows, as use of a server over time would: an empty list explains nothing. */
export async function fillLists({ server, outside, alice, community, owned }: World): Promise<void> {
  const call = caller(server, alice);
  const { id, roleId, passId } = community;
  const address = `/latchkey/communities/${encodeURIComponent(id)}`;
  const clientId = owned['client application']?.id ?? '';
  await call('PUT', `${address}/guest-passes/${passId}/holders/${encodeURIComponent(aliceId)}`, {});
  const { chainId, contractAddress } = keyRule(outside, roleId);
  await call('PUT', `${address}/rule-assertions`, { assertions: [keyAssertion(outside, roleId)] });
  const run = (statement: ReturnType<typeof sql>) => statement.execute(server.services.db.system);
  await run(sql`
    insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
    values ('shared-wallet', 'TEL#USER#7003', 'telegram', 'evm', ${people.alice.address}, now())`);
  await run(sql`
    insert into bot_arrivals (platform, community_id, name, owner_id, arrived_at)
    values ('discord', '100000000000000002', 'Second community', ${aliceId}, now())`);
  await run(sql`
    insert into app_calls (client_id, owner_id, called_at, method, route, status, error_code, took_ms, request_id, credential)
    values (${clientId}, ${aliceId}, now(), 'POST', '/access-control/check-roles', 200, null, 31, 'kT2v9QpLx4Rm7Zc1', 'api-key')`);
  await run(sql`
    insert into app_call_days (client_id, owner_id, day, calls, refused, failed)
    values (${clientId}, ${aliceId}, current_date, 1240, 12, 0) on conflict do nothing`);
  await run(sql`
    insert into role_circuit_breakers (community_id, role_id, advice, since, fault)
    values (${id}, ${roleId}, 'Move the role of the bot above this role.', now(), 'above-bot')`);
  await run(sql`
    insert into gate_bypasses (community_id, user_id, user_name, joined_at, way_id, kind, link, link_name, by_id, by_name)
    values (${id}, 'DIS#USER#200000000000000009', 'ida', now(), 'link-1', 'link', 'https://discord.gg/sample', 'Newsletter',
      ${aliceId}, 'alice')`);
  await run(sql`
    insert into shadow_differences (community_id, day, user_id, role_id, action, seen_at, reason)
    values (${id}, current_date, 'DIS#USER#200000000000000009', ${roleId}, 'grant', now(), null)`);
  await run(sql`
    insert into role_approval_policies (community_id, role_id, removal_percent, removal_count, holds_grants)
    values (${id}, ${roleId}, 2, 5, true)`);
  await run(sql`
    insert into jobs (name, payload, state, failures, last_error, died_at)
    values ('payments.remove-old', '{}', 'dead', 12, 'The database was restarted.', now())`);
  const chain = `evm:${chainId}`;
  await run(sql`
    insert into followed_chains (chain, number, hash, followed_at) values (${chain}, 1, '0x1', now()) on conflict do nothing`);
  await run(sql`
    insert into followed_contracts (chain, reference, since_number) values (${chain}, ${contractAddress}, 1)
    on conflict do nothing`);
  await run(sql`
    insert into read_holdings (chain, reference, account, variant, answer, block_number, read_at)
    values (${chain}, ${contractAddress}, ${people.alice.address}, '["ERC721"]', '{"kind": "read", "amount": "1"}', 1, now())
    on conflict do nothing`);
}
