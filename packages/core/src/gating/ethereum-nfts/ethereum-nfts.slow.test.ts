import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import type { CollectionAnswer } from '../../ports/index.ts';
import { alice, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { forgetCollections } from './jobs.ts';
import { getNftAttributesSummary } from './read-attributes.ts';
import { summarizeTraits } from './summarize-traits.ts';

const cats = [
  {
    attributes: [
      { trait_type: 'Fur', value: 'red' },
      { trait_type: ' Age ', value: 3 },
    ],
  },
  {
    attributes: [
      { trait_type: 'Fur', value: 'black' },
      { trait_type: 'Wild', value: false },
    ],
  },
  { attributes: { Fur: 'red', Age: 12 } },
];

describe('the traits of a collection', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('nfts');
  });
  after(() => t.close());

  let collections = 0;
  function newCollection(answer: CollectionAnswer): string {
    collections += 1;
    const address = `0x${collections.toString(16).padStart(40, '0')}`;
    t.tokenMetadata.setCollection('evm:1', address, answer);
    return address;
  }

  function read(documents: readonly unknown[], missing = 0): CollectionAnswer {
    return { kind: 'read', documents, missing, left: 0 };
  }

  const ask = (address: string, network?: string) => getNftAttributesSummary(t.as(alice), { address, network });
  const request = (address: string) => t.tokenMetadata.requests.filter((key) => key === `evm:1/${address}`).length;

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  it('are collected from lists and objects alike, each value once', () => {
    assert.deepEqual(summarizeTraits(cats), [
      { type: 'Age', values: ['12', '3'] },
      { type: 'Fur', values: ['black', 'red'] },
      { type: 'Wild', values: ['false'] },
    ]);
  });

  it('survive malformed metadata, and stay within bounds', () => {
    const odd = [
      null,
      5,
      'text',
      [],
      {},
      { attributes: null },
      { attributes: [null, 1, {}, { trait_type: 1, value: 2 }] },
    ];
    assert.deepEqual(summarizeTraits(odd), []);
    assert.deepEqual(summarizeTraits([{ attributes: [{ trait_type: '__proto__', value: 'x' }] }]), [
      { type: '__proto__', values: ['x'] },
    ]);
    const endless = Array.from({ length: 1000 }, (_, index) => ({
      attributes: [
        { trait_type: 'Name', value: `cat ${index}` },
        { trait_type: `trait ${index}`, value: 'y'.repeat(5000) },
      ],
    }));
    const bounded = summarizeTraits(endless);
    assert.equal(bounded.length, 200);
    assert.ok(bounded.every(({ values = [] }) => values.length <= 200 && values.every((value) => value.length <= 200)));
  });

  it('are read once a day, and once for all concurrent callers', async () => {
    const address = newCollection(read(cats));
    assert.equal((await ask(address.toUpperCase().replace('0X', '0x'))).length, 3);
    await Promise.all([ask(address), ask(address), ask(address, 'ethereum')]);
    assert.equal(request(address), 1);
    t.advanceSeconds(24 * 60 * 60);
    const [first] = await ask(address);
    assert.equal(first?.type, 'Age');
    assert.equal(request(address), 2);
  });

  it('that are only known in part are read again sooner', async () => {
    const address = newCollection(read(cats.slice(0, 1), 2));
    assert.equal((await ask(address)).length, 2);
    t.tokenMetadata.setCollection('evm:1', address, read(cats));
    t.advanceSeconds(60 * 60);
    assert.equal((await ask(address)).length, 3);
  });

  it('are read later while another process reads them, and the old ones are used in the meantime', async () => {
    const address = newCollection(read(cats));
    const gate = Promise.withResolvers<void>();
    const slow = {
      ...t.as(alice),
      tokenMetadata: {
        ...t.tokenMetadata,
        readCollection: async () => {
          await gate.promise;
          return read(cats);
        },
      },
    };
    const reading = getNftAttributesSummary(slow, { address });
    const isClaimed = async () =>
      (
        await t.services.db.system
          .selectFrom('collection_traits')
          .select('address')
          .where('address', '=', address)
          .execute()
      ).length === 1;
    while (!(await isClaimed())) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(ask(address), refusal('UNAVAILABLE'));
    gate.resolve();
    assert.deepEqual(await reading, await ask(address));
    assert.equal(request(address), 0);
  });

  it('fall back to the stored ones while a chain does not respond, or are read later', async () => {
    const address = newCollection({ kind: 'unknown', reason: 'The node is down.' });
    await assert.rejects(ask(address), refusal('UNAVAILABLE'));
    t.tokenMetadata.setCollection('evm:1', address, read(cats));
    t.advanceSeconds(30);
    assert.equal((await ask(address)).length, 3);
    t.tokenMetadata.setCollection('evm:1', address, { kind: 'unknown', reason: 'The node is down.' });
    t.advanceSeconds(24 * 60 * 60);
    assert.equal((await ask(address)).length, 3);
    t.tokenMetadata.unread.add('evm:5000');
    await assert.rejects(ask(address, 'mantle'), refusal('NOT_CONFIGURED'));
  });

  it('are empty for a contract without tokens, and unknown for an unknown network', async () => {
    assert.deepEqual(await ask(newCollection({ kind: 'none' })), []);
    await assert.rejects(ask(newCollection({ kind: 'none' }), 'nowhere'), refusal('ENTITY_NOT_FOUND'));
  });

  it('are deleted when they were not requested for a month', async () => {
    const [old, young] = [newCollection(read(cats)), newCollection(read(cats))];
    await ask(old);
    t.advanceSeconds(32 * 24 * 60 * 60);
    await ask(young);
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    await forgetCollections.run(t.as(operator), {}, run);
    const rows = await t.services.db.system.selectFrom('collection_traits').select('address').execute();
    const left = rows.map(({ address }) => address);
    assert.deepEqual([left.includes(old), left.includes(young)], [false, true]);
  });
});
