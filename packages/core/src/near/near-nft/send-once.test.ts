import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createNear } from '@latchkey/chains/near/ledger';
import { nearCall } from '@latchkey/emulators/near-chain';
import { AppError } from '@latchkey/kernel';
import { contextFor } from '../../shared/context.ts';
import { alice, operator } from '../../testing/index.ts';
import { mintToken } from './change-contract.ts';
import { createTokenContract } from './create-contract.ts';
import { resolveTransactions } from './jobs.ts';
import { type NearPlatform, nearPlatform, serverAccount } from './testing.ts';

const art = `art.${serverAccount}`;
const unavailable = (error: unknown) =>
  error instanceof AppError && error.code === 'UNAVAILABLE' && /not be executed twice/.test(error.message);

describe('a transaction of the server', () => {
  let n: NearPlatform;
  before(async () => {
    n = await nearPlatform('send-once');
    await createTokenContract(n.as(alice), { body: { name: 'Art', contractId: 'art' } });
  });
  after(() => n.close());

  const mint = (id: string, ctx = n.as(alice)) =>
    mintToken(ctx, { address: art, receiverId: serverAccount, body: { id } });
  const minted = () => Number(n.chain.view(art, 'nft_total_supply'));
  const rowsFor = (id: string) =>
    n.services.db.system
      .selectFrom('near_transactions')
      .select(['hash', 'state'])
      .where('purpose', '=', `mint/${art}/${id}`)
      .execute();
  /** The node responds to these methods with a timeout, after it has executed them. */
  const lose = (...methods: string[]) =>
    n.chain.misbehave({
      kind: 'lie',
      change: (body, request) =>
        methods.includes(String(Object(request.body).method))
          ? { jsonrpc: '2.0', id: 1, error: { name: 'HANDLER_ERROR', cause: { name: 'TIMEOUT_ERROR' }, code: -32000 } }
          : body,
    });

  it('that was signed when the process was killed is sent unchanged, once', async () => {
    const dying = {
      ...n.near,
      send: async () => {
        throw new Error('killed');
      },
    };
    const before = minted();
    await assert.rejects(mint('killed', contextFor({ ...n.services, near: dying }, alice)), /killed/);
    const [row, ...others] = await rowsFor('killed');
    assert.deepEqual([row?.state, others], ['signed', []]);
    assert.equal(minted(), before);
    const [one, two] = await Promise.all([mint('killed'), mint('killed')]);
    assert.deepEqual([one.transactionHash, two.transactionHash], [row?.hash, row?.hash]);
    assert.equal(minted(), before + 1);
  });

  it('whose response is lost is looked up by its hash, and not sent again', async () => {
    const before = minted();
    lose('send_tx');
    const found = await mint('lost-answer');
    n.chain.behave();
    assert.equal(minted(), before + 1);
    lose('send_tx', 'tx');
    await assert.rejects(mint('lost-both'), unavailable);
    n.chain.behave();
    assert.equal(minted(), before + 2, 'it was executed all the same');
    const [row] = await rowsFor('lost-both');
    const again = await mint('lost-both');
    assert.equal(again.transactionHash, row?.hash);
    assert.notEqual(again.transactionHash, found.transactionHash);
    assert.equal(minted(), before + 2);
  });

  it('that no node has seen is sent by the next caller, and resolved by the job when there is none', async () => {
    const before = minted();
    n.chain.hold();
    await assert.rejects(mint('held'), unavailable);
    await assert.rejects(mint('held'), unavailable);
    n.chain.release();
    assert.equal(minted(), before + 1);
    assert.equal((await rowsFor('held'))[0]?.state, 'signed');
    n.t.advanceSeconds(120);
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    await resolveTransactions.run(n.as(operator), {}, run);
    assert.equal((await rowsFor('held'))[0]?.state, 'done');
    await mint('held');
    assert.equal(minted(), before + 1);
  });

  it('is signed with a unique nonce, however many are made at once and by which callers', async () => {
    const before = minted();
    const other = await createNear({
      fetch,
      network: n.near.network,
      urls: [n.chain.url],
      timeoutMs: 120_000,
      account: { id: serverAccount, secretKey: n.chain.createAccount(serverAccount).secretKey },
      setup: n.near.setup,
    });
    const elsewhere = contextFor({ ...n.services, near: other }, alice);
    const ids = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    await Promise.all(ids.map((id, index) => mint(id, index % 2 === 0 ? n.as(alice) : elsewhere)));
    assert.equal(minted(), before + 12);
    // The key is also used outside this server, so the next nonce is taken.
    for (let round = 0; round < 15; round += 1)
      n.chain.act(serverAccount, art, [nearCall('nft_mint', { token_id: `outside-${round}` })]);
    await mint('after');
    assert.equal(minted(), before + 12 + 15 + 1);
  });

  it('that the chain would no longer accept is given up by the job', async () => {
    const dead = { ...n.near, send: async () => ({ kind: 'unknown' as const, reason: 'No node answers' }) };
    await assert.rejects(mint('given-up', contextFor({ ...n.services, near: dead }, alice)), unavailable);
    n.t.advanceSeconds(40 * 60 * 60);
    const run = { id: '2', attempt: 1, signal: new AbortController().signal };
    await resolveTransactions.run(n.as(operator), {}, run);
    assert.equal((await rowsFor('given-up'))[0]?.state, 'refused');
    await mint('given-up');
    assert.deepEqual((await rowsFor('given-up')).map(({ state }) => state).toSorted(), ['done', 'refused']);
  });

  it('leaves no secret behind', () => {
    const { secretKey } = n.chain.createAccount(serverAccount);
    assert.ok(!n.t.log.lines.join('\n').includes(secretKey.slice('ed25519:'.length)));
  });
});
