import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { erasures } from '../../modules.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';

/** Columns whose names suggest personal data but that hold none, each with the reason. */
const nobody: Readonly<Record<string, string>> = {
  'admin_keys.allowed_ip_addresses': 'where an operator key may be used',
  'call_shares.owner': 'a process',
  'client_apps.allowed_ip_addresses': 'goes with the application',
  'collection_traits.address': 'a contract',
  'console_sessions.admin_key_id': 'an operator key',
  'community_wallets.owner_address': 'the key of a community, which this server made',
  'community_wallets.safe_address': 'the Safe of a community',
  'evm_tokens.address': 'a contract',
  'hidden_evm_tokens.address': 'a contract',
  'leases.owner': 'a process',
  'managed_rules.applied_by_client': 'an application',
  'near_seen_accounts.account': 'public facts of a chain, not kept for a particular person',
  'near_call_accounts.account': 'public facts of a chain',
  'near_contracts.address': 'a contract',
  'near_function_calls.caller': 'public facts of a chain',
  'near_seen_receipts.receiver': 'public facts of a chain',
  'near_token_accounts.account': 'public facts of a chain',
  'near_seen_transactions.receiver': 'public facts of a chain',
  'near_seen_transactions.signer': 'public facts of a chain',
  'near_seen_transactions.signer_key': 'public facts of a chain',
  'playgrounds.accounts': 'made-up members, who are nobody',
  'playgrounds.address_hash': 'a hash that is kept for half an hour, without an account',
  'processes.server_sub_type': 'a kind of process',
  'role_checks.wallets': 'goes with the question of its owner',
  'change_set_items.claimed_by': 'a process that writes roles',
  'treasuries.holder_id': 'a community or an organization',
  'treasuries.owner_address': 'a key of the signer, or a wallet that the chain names in public',
  'treasuries.safe_address': 'the Safe of a community or an organization',
  'treasury_actions.safe_address': 'the Safe of a community or an organization',
  'wallet_connections.wallet_type': 'a kind of wallet',
  'wallet_link_challenges.wallet_type': 'a kind of wallet',
  'webauthn_challenges.user_verification': 'a setting',
};

const soundsPersonal =
  /(^|_)(user|users|owner|admin|member|holder|person|people|caller|signer|email|mail|phone|account|accounts|address|addresses|wallet|wallets|subject|sub|login|nick|author|sender|receiver|recipient|customer|payer)(_|$)|_by(_|$)/;

describe('the erasures of all modules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('erasures');
  });
  after(() => t.close());

  const columns = async () =>
    (
      await sql<{ name: string }>`
        select c.table_name || '.' || c.column_name as name from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
        where table_schema = 'public' and t.table_type = 'BASE TABLE'
          and c.data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY')
        order by 1`.execute(t.services.db.system)
    ).rows.map((row) => row.name);

  it('cover every column that may name a person, or list a reason here', async () => {
    const covered = new Set(erasures.flatMap((erasure) => erasure.columns));
    const left = (await columns()).filter(
      (name) => soundsPersonal.test(name.split('.')[1] ?? '') && !covered.has(name) && nobody[name] === undefined,
    );
    assert.deepEqual(
      left,
      [],
      'Add each to the `columns` of an Erasure of its module, listed in modules.ts, or to `nobody` in this test.',
    );
  });

  it('name columns that exist, each once', async () => {
    const named = erasures.flatMap((erasure) => erasure.columns);
    const all = await columns();
    assert.deepEqual(
      named.filter((name) => !all.includes(name)),
      [],
    );
    assert.equal(new Set(named).size, named.length);
    assert.deepEqual(
      Object.keys(nobody).filter((name) => !all.includes(name)),
      [],
    );
  });
});
