import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createNearBlocks } from '@latchkey/chains';
import { indexStep } from '@latchkey/core';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { sql } from '@latchkey/db';
import { type NearChain, startNearChain } from '@latchkey/emulators/near-chain';

const { signal } = new AbortController();

describe('indexing a NEAR network', () => {
  let t: TestPlatform;
  let chain: NearChain;
  before(async () => {
    t = await testPlatform('near-index');
    chain = await startNearChain({ seed: 'near-index', clock: () => t.services.clock().getTime() });
  });
  after(async () => {
    await Promise.all([chain?.stop(), t?.close()]);
  });

  const blocksFrom = (startsAfter: number, urls = [chain.url]) =>
    createNearBlocks({ fetch, network: 'localnet', urls, timeoutMs: 180_000, startsAfter });
  const catchUp = async (network: ReturnType<typeof blocksFrom>) => {
    while ((await indexStep(t.services, network, signal)) === 'moved');
  };
  const count = async (table: string) => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(
      t.services.db.system,
    );
    return rows[0]?.n;
  };

  test('every transaction of every block is indexed once, across gaps, failing nodes and a restart', async () => {
    const start = chain.final.height;
    const produced = chain.produce(600, { perBlock: 25, people: 20 });
    chain.makeBlocks(5);
    const network = blocksFrom(start, ['http://127.0.0.1:9', chain.url]);
    await indexStep(t.services, network, signal);
    chain.misbehave({ kind: 'status', status: 503 });
    await assert.rejects(indexStep(t.services, network, signal), /NEAR node 2: failed \(503\)/);
    chain.behave();
    await catchUp(network);
    const indexed = (await count('near_seen_transactions')) ?? 0;
    assert.ok(indexed >= produced.transactions, `${indexed} of ${produced.transactions}`);
    const { rows } = await sql<{ hash: string; signer: string }>`
      select hash, signer from near_seen_transactions where receipt_id is null or check_at is not null`.execute(
      t.services.db.system,
    );
    assert.deepEqual(rows, []);
    // The outcome of every receipt is known, and every receipt that a transaction led to was seen in a block.
    const strays = await sql<{ id: string }>`
      select receipt_id as id from near_receipt_origins o
      where not exists (select from near_seen_receipts r where r.id = o.receipt_id)`.execute(t.services.db.system);
    assert.deepEqual(strays.rows, []);
    const unknown = await sql<{ id: string }>`
      select id from near_seen_receipts r
      where not exists (select from near_receipt_origins o where o.receipt_id = r.id)`.execute(t.services.db.system);
    assert.deepEqual(unknown.rows, []);

    await sql`update near_index_cursor set (height, hash) = (
      select height, block_hash from near_seen_transactions order by height limit 1)`.execute(t.services.db.system);
    await catchUp(network);
    assert.equal(await count('near_seen_transactions'), indexed);
  });
});
