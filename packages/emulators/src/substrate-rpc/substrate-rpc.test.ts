import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HttpProvider } from '@polkadot/api';
import { startSubstrateEmulator } from './index.ts';

it('answers the client library of Polkadot from the storage of each block', async (t) => {
  const emulator = await startSubstrateEmulator();
  t.after(emulator.stop);
  const provider = new HttpProvider(emulator.url);
  const [one, two] = [
    emulator.addBlock([
      ['0xaa01', '0x01'],
      ['0xaa02', '0x02'],
      ['0xbb', '0x03'],
    ]),
    emulator.addBlock([['0xaa01', undefined]]),
  ];
  assert.equal(await provider.send('chain_getFinalizedHead', []), two.hash);
  assert.partialDeepStrictEqual(await provider.send('chain_getHeader', [two.hash]), {
    number: '0x2',
    parentHash: one.hash,
  });
  assert.deepEqual(await provider.send('state_getKeysPaged', ['0xaa', 1, '0xaa', one.hash]), ['0xaa01']);
  assert.deepEqual(await provider.send('state_getKeysPaged', ['0xaa', 9, '0xaa01', one.hash]), ['0xaa02']);
  assert.deepEqual(await provider.send('state_queryStorageAt', [['0xaa01', '0xbb']]), [
    {
      block: two.hash,
      changes: [
        ['0xaa01', null],
        ['0xbb', '0x03'],
      ],
    },
  ]);
  assert.equal(await provider.send('state_getStorage', ['0xaa01', one.hash]), '0x01');
  await assert.rejects(provider.send('state_getStorage', ['0xaa01', `0x${'9'.repeat(64)}`]), /UnknownBlock/);
  await assert.rejects(provider.send('state_getKeysPaged', ['0xaa', 1_001]), /exceeds maximum/);
  await assert.rejects(provider.send('author_rotateKeys', []), /not found/);
});
