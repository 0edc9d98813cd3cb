import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Random } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addressOfPoint } from './checksum-address.ts';
import { evmWallets, safeAddress } from './safe-address.ts';

// Results of createProxyWithNonce: the published Safe 1.4.1 contracts were deployed to their canonical addresses in an EVM, and the factory
// was called with these owners and salts.
const deployed = [
  {
    owner: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    saltNonce: 0n,
    safe: '0x70AFB71e75b598BF36586190817973F6591FC798',
  },
  {
    owner: '0xFCAd0B19bB29D4674531d6f115237E16AfCE377c',
    saltNonce: 385752983800524304051925475798848115510611497140973977799583351n,
    safe: '0x5F9f18b636519B0DECCa8DF0396011885047162f',
  },
  {
    owner: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
    saltNonce: 2n ** 256n - 1n,
    safe: '0xC4d93198b2F14921e98a8a0F4679e9c79A872F06',
  },
];

function seededRandom(seed: string): Random {
  let draws = 0;
  const bytes = (length: number) =>
    createHash('shake256', { outputLength: length }).update(`${seed}:${draws++}`).digest();
  return { bytes, id: () => 'unused' };
}

describe('Safe addresses', () => {
  for (const { owner, saltNonce, safe } of deployed) {
    it(`the predicted address of ${owner} is the one the factory deployed to`, () => {
      assert.equal(safeAddress(owner, saltNonce, 1), safe);
      assert.equal(safeAddress(owner.toLowerCase(), saltNonce, 31337), safe);
    });
  }

  it('another owner or another salt gives another address', () => {
    const [first, second] = deployed;
    assert.ok(first && second);
    assert.notEqual(safeAddress(first.owner, 1n, 1), first.safe);
    assert.notEqual(safeAddress(second.owner, first.saltNonce, 1), first.safe);
  });

  it('a chain that derives addresses by another rule is refused, so that no money is sent to a dead address', () => {
    const [first] = deployed;
    assert.ok(first);
    assert.throws(() => safeAddress(first.owner, 0n, 50104), /choose another wallet chain/);
  });

  it('a malformed owner and a salt that does not fit one word are refused', () => {
    assert.throws(() => safeAddress('0x1234', 0n, 1), /40 hexadecimal digits/);
    assert.throws(() => safeAddress(`${deployed[0]?.owner}00`, 0n, 1), /40 hexadecimal digits/);
    assert.throws(() => safeAddress('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A', 2n ** 256n, 1), /256 bits/);
    assert.throws(() => safeAddress('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A', -1n, 1), /256 bits/);
  });

  it('owner keys are valid, belong to their address and are never repeated', () => {
    const random = seededRandom('owner keys');
    const keys = Array.from({ length: 50 }, () => evmWallets.createOwnerKey(random));
    for (const key of keys) {
      assert.equal(key.privateKey.length, 32);
      assert.equal(addressOfPoint(secp256k1.getPublicKey(key.privateKey, false)), key.address);
    }
    assert.equal(new Set(keys.map((key) => key.address)).size, keys.length);
  });
});
