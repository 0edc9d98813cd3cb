import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { alice, mallory } from '../../testing/index.ts';
import { recheckSigners } from './jobs.ts';
import { openWalletPeople, type WalletPeople, wallet } from './testing.ts';

const hour = 60 * 60;
const dsProxyRegistry = '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4';
const epsRegistry = '0xfa3D2d059E9c0d348dB185B32581ded8E8243924';

describe('signers of a contract wallet', () => {
  let people: WalletPeople;
  before(async () => {
    people = await openWalletPeople('recheck-signers');
  });
  after(() => people.t.close());
  beforeEach(async () => {
    const { pool } = people.t.services.db;
    await pool.query('delete from wallet_connections');
    await pool.query('delete from jobs');
  });

  const system: Actor = { kind: 'system', job: 'test' };
  const recheck = () => recheckSigners(people.t.as(system));
  const safe = wallet(0x5afe);

  function setOwner(owner: string, owns: boolean, reference = safe): void {
    people.t.holdings.set({ chain: 'evm:1', standard: 'safe', reference, account: owner }, owns ? '1' : '0');
  }

  async function linkSafe(actor: Actor, owner: string, address = safe): Promise<void> {
    setOwner(owner, true, address);
    const body = { address, chainId: 1, proxyType: 'gnosis', gnosisSignerAddress: owner };
    const { code = '' } = await people.connect(actor, body, owner);
    assert.ok(['CONNECTED', 'ALREADY_CONNECTED'].includes(code), code);
  }

  const notices = async () => {
    const { rows } = await people.t.services.db.pool.query(
      `select payload from jobs where name = 'security-notices.tell' order by id`,
    );
    return rows.map(({ payload }) => payload);
  };

  const audited = async () => {
    const { rows } = await people.t.services.db.pool.query(
      `select who, subject, details from audit_entries where action = 'wallet.unlink'`,
    );
    return rows;
  };

  it('lose the link when the Safe no longer lists them as owners, and are notified', async () => {
    const [hers, his] = [wallet(31), wallet(32)];
    await linkSafe(alice, hers);
    await linkSafe(mallory, his);
    assert.equal(await recheck(), 0);
    setOwner(hers, false);
    assert.equal(await recheck(), 0, 'each link is checked once an hour');
    people.t.advanceSeconds(hour);
    assert.equal(await recheck(), 1);
    assert.deepEqual([await people.holds(alice, safe), await people.holds(mallory, safe)], [false, true]);
    assert.deepEqual(await notices(), [{ userId: 'DIS#USER#100', loginMethod: 'signer-removed' }]);
    assert.deepEqual(await audited(), [
      { who: '$system/test', subject: 'DIS#USER#100', details: { signer: 'removed' } },
    ]);
  });

  it('keep it while the chain does not answer, or answers only once', async () => {
    const owner = wallet(33);
    await linkSafe(alice, owner);
    setOwner(owner, false);
    people.t.holdings.fail('evm:1', 'The node is down.');
    assert.equal(await recheck(), 0);
    people.t.holdings.fail('evm:1', undefined);
    assert.equal(await recheck(), 0, 'the node is given some minutes');
    assert.equal(await people.holds(alice, safe), true);

    people.t.advanceSeconds(10 * 60);
    const { read } = people.t.holdings;
    const requests: (number | undefined)[] = [];
    people.t.holdings.read = async (questions, options) => {
      requests.push(options?.quorum);
      if (requests.length === 2) return questions.map(() => ({ kind: 'unknown', reason: 'The nodes disagree.' }));
      return read(questions, options);
    };
    assert.equal(await recheck(), 0);
    people.t.holdings.read = read;
    assert.deepEqual(requests, [undefined, 2], 'the second read needs several endpoints to agree');
    assert.equal(await people.holds(alice, safe), true);

    people.t.advanceSeconds(10 * 60);
    assert.equal(await recheck(), 1);
    assert.equal(await people.holds(alice, safe), false);
  });

  it('may be replaced by another owner of the same person', async () => {
    const [old, young] = [wallet(34), wallet(35)];
    await linkSafe(alice, old);
    await linkSafe(alice, young);
    setOwner(old, false);
    people.t.advanceSeconds(hour);
    assert.equal(await recheck(), 0);
    assert.equal(await people.holds(alice, safe), true);
  });

  it('lose what a proxy or a nomination granted when the registry revokes it', async () => {
    const { t } = people;
    const link = async (proxyType: string, signer: string, address: string, registry: string) => {
      await t.services.db.pool.query(
        `insert into wallet_connections (id, user_id, platform, namespace, address, contract_chain, signer_address, contract, created_at)
         values ($1, 'DIS#USER#100', 'discord', 'evm', $2, '1', $3, $4, $5)`,
        [proxyType, address, signer, `evm:1/${proxyType}/${registry}`, t.services.clock()],
      );
    };
    const [owner, proxy, hot, cold] = [wallet(36), wallet(0xd6), wallet(37), wallet(0xc7)];
    const call = (account: string, reference: string, answer: string) =>
      t.holdings.set({ chain: 'evm:1', standard: 'call', account, reference }, answer);
    call(owner, dsProxyRegistry, String(0xd6));
    call(owner, proxy, String(36));
    call(hot, epsRegistry, String(0xc7));
    await link('dsproxy', owner, proxy, dsProxyRegistry);
    await link('epsproxy', hot, cold, epsRegistry);
    assert.equal(
      await recheck(),
      1,
      'EPS answers both questions with the cold wallet, so the nomination names another',
    );
    assert.deepEqual([await people.holds(alice, proxy), await people.holds(alice, cold)], [true, false]);
    call(owner, proxy, String(0xbad));
    t.advanceSeconds(hour);
    assert.equal(await recheck(), 1);
    assert.equal(await people.holds(alice, proxy), false);
  });

  it('are checked in batches until all are done', async () => {
    const { t } = people;
    const [owner, gone] = [wallet(38), wallet(39)];
    const addresses = Array.from({ length: 430 }, (_, index) => wallet(0x9000 + index));
    addresses.forEach((address, index) => {
      setOwner(owner, index % 2 === 0, address);
    });
    await t.services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, contract_chain, signer_address, contract, created_at)
       select a, 'DIS#USER#100', 'discord', 'evm', a, '1', $2, 'evm:1/gnosis/' || a, $3 from unnest($1::text[]) a`,
      [addresses, owner, t.services.clock()],
    );
    assert.equal(await recheck(), 215);
    assert.equal(await people.holds(alice, gone), false);
    const { rows } = await t.services.db.pool.query('select count(*)::int as left from wallet_connections');
    assert.deepEqual(rows, [{ left: 215 }]);
  });
});
