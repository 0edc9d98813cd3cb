import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arg, args, atBlockHeight, decode, getBlock, script, send, t as types } from '@onflow/sdk';
import { startFlowAccessEmulator } from './index.ts';

const alice = '0xf8d6e0586b0a20c7';
const code = `import NonFungibleToken from 0x1d7e57aa55817448
access(all) fun main(accounts: [Address]): {Address: [UInt64]} {
  // getAccount(account).capabilities.borrow<&{NonFungibleToken.CollectionPublic}>(/public/Cards)
  // collection.getType().identifier.slice(from: 0, upTo: 26) == "A.0b2a3299cc857e29.Cards."
}`;

test('the client of Flow reads blocks and the results of scripts, newest and past', async (t) => {
  const emulator = await startFlowAccessEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  const options = { node: emulator.url };
  state.published.push({
    account: alice,
    path: 'Cards',
    type: 'A.0b2a3299cc857e29.Cards.Collection',
    ids: ['7', '18446744073709551615'],
  });
  state.past.set(5, []);

  const block = await decode(await send([getBlock(true)], options));
  assert.equal(block.height, state.sealedHeight);
  const given = args([arg([alice], types.Array(types.Address))]);
  const held = await decode(await send([script(code), given], options));
  assert.deepEqual(held, { [alice]: ['7', '18446744073709551615'] });
  assert.deepEqual(await decode(await send([script(code), given, atBlockHeight(5)], options)), { [alice]: [] });
  const unknownImport = code.replace('1d7e57aa55817448', '1111111111111111');
  await assert.rejects(send([script(unknownImport), given], options), /cannot find declaration/);
});
