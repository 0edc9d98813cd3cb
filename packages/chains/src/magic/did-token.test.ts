import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import { verifyDidToken } from './did-token.ts';
import { createMagicWallets } from './index.ts';

const at = (seconds: unknown) => new Date(Number(seconds) * 1000);

function walletsOf({ context }: Vector) {
  const audience = context?.aud === undefined ? undefined : String(context.aud);
  return createMagicWallets({ clock: () => at(context?.now), audience });
}

const vectors = readVectors('magic');
const [first] = vectors;
assert.ok(first);
const { address, signature } = first;
const audience = 'did:magic:f54168e9-9ce9-47f2-81c8-7cb2a96b26ba';
const good = { now: at(1_794_700_000), address, audience, attachment: 'none' };

describe('DID tokens of Magic', () => {
  for (const vector of vectors) {
    it(`${vector.name} is ${vector.valid ? 'accepted' : 'refused'}`, async () => {
      const { address, message, signature, valid } = vector;
      const verdict = await walletsOf(vector).verify({ chain: '1', address, message, signature });
      assert.deepEqual(verdict.kind, valid ? 'valid' : 'invalid');
      if (verdict.kind === 'valid') assert.equal(verdict.address, address);
    });
  }

  it('a token exposes its claims, so that it can be accepted once', () => {
    const verdict = verifyDidToken(signature, good);
    assert.ok(verdict.kind === 'valid');
    assert.equal(verdict.claim.tid, '2ddf5983-983b-487d-b464-bc5e283a03c5');
    assert.equal(verdict.claim.ext, 1_900_411_204);
  });

  it('a token starts a minute before its time and ends at its end, to the second', () => {
    const kindAt = (seconds: number) => verifyDidToken(signature, { ...good, now: at(seconds) }).kind;
    assert.equal(kindAt(1_585_011_204 - 61), 'invalid');
    assert.equal(kindAt(1_585_011_204 - 60), 'valid');
    assert.equal(kindAt(1_900_411_203), 'valid');
    assert.equal(kindAt(1_900_411_204), 'invalid');
    assert.equal(kindAt(Number.NaN), 'invalid');
  });

  it('a refusal says why', () => {
    const reasonFor = (change: object, token: unknown = signature) => {
      const verdict = verifyDidToken(token, { ...good, ...change });
      return verdict.kind === 'invalid' ? verdict.reason : 'accepted';
    };
    assert.equal(reasonFor({}), 'accepted');
    assert.match(reasonFor({ address: '0xa1b4c0942647e790cFD2a05A5FD26C02c42139ae' }), /another address/);
    assert.match(reasonFor({ audience: 'did:magic:other' }), /another application/);
    assert.match(reasonFor({ attachment: 'ravi@magic.link' }), /attachment/);
    assert.match(reasonFor({ now: at(2_000_000_000) }), /expired/);
    assert.match(reasonFor({ now: at(0) }), /not valid yet/);
    assert.match(reasonFor({}, 'AAAA'), /malformed/);
  });

  it('no malformed token makes the verifier throw', async () => {
    const wallets = createMagicWallets({ clock: () => good.now, audience });
    const deep = Buffer.from('['.repeat(11_000)).toString('base64');
    const strange = [undefined, null, 0, 1n, {}, [], '', '=', '====', deep, 'A'.repeat(100_000), Symbol('s'), () => 1];
    for (const value of strange) {
      for (const name of ['address', 'message', 'signature']) {
        const proof = { chain: '1', address, message: 'none', signature, [name]: value };
        assert.equal((await wallets.verify(proof)).kind, 'invalid', `${name}: ${String(value).slice(0, 20)}`);
      }
    }
  });

  it('addresses use the format of EVM chains', () => {
    const wallets = createMagicWallets({ clock: () => good.now, audience });
    assert.equal(wallets.normalizeAddress(address.toLowerCase(), '1'), address);
    assert.equal(wallets.normalizeAddress('did:ethr:0x', '1'), undefined);
  });
});
