import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { hexToBytes } from '@noble/hashes/utils.js';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import { startScriptedNode } from '../testing/scripted-node.ts';
import { personalSignHash } from './personal-sign.ts';
import { recoverSigner } from './recover-signer.ts';
import { findSiweMismatch } from './siwe.ts';
import { createEvmWallets, parseSiweMessage, readSignature } from './wallets.ts';

const offline = createEvmWallets({ fetch, rpcUrlsOf: () => [], timeoutMs: 1000 });
const compact = createEvmWallets({ fetch, rpcUrlsOf: () => [], timeoutMs: 1000, acceptCompactSignatures: true });

function proofOf(vector: Vector): WalletProof {
  const { address, signature, scheme } = vector;
  const message: unknown = vector.message;
  if (scheme === 'eip712' && typeof message === 'object' && message !== null) {
    const domain = 'domain' in message ? Object(message.domain) : {};
    const details = { scheme, typedData: message };
    return { chain: String(domain.chainId), address, message: JSON.stringify(message), signature, details };
  }
  const chain = parseSiweMessage(vector.message)?.chainId ?? 1;
  const text =
    vector.messageEncoding === 'hex' ? Buffer.from(vector.message.slice(2), 'hex').toString() : vector.message;
  return { chain: String(chain), address, message: text, signature };
}

function saysWhatItMust({ scheme, message, address, context }: Vector): boolean {
  if (scheme !== 'siwe') return true;
  const fields = parseSiweMessage(message);
  const expected = {
    domain: String(context?.domain),
    nonce: String(context?.nonce),
    now: new Date(String(context?.time)),
    address,
    chainId: typeof context?.chainId === 'number' ? context.chainId : undefined,
  };
  return fields !== undefined && findSiweMismatch(fields, expected) === undefined;
}

const needsMainnet = (vector: Vector) => vector.context?.needsChain !== undefined;
// The interface takes strings; these two messages are bytes that are not valid text.
const isBytesOnly = ({ message, messageEncoding }: Vector) =>
  messageEncoding === 'hex' &&
  !Buffer.from(Buffer.from(message.slice(2), 'hex').toString()).equals(hexToBytes(message.slice(2)));

describe('published signatures of EVM accounts', () => {
  for (const chain of ['ethereum', 'venly', 'opensea']) {
    for (const vector of readVectors(chain).filter((each) => !needsMainnet(each) && !isBytesOnly(each))) {
      it(`${vector.name} is ${vector.valid ? 'accepted' : 'refused'}`, async () => {
        const wallets = vector.context?.compact === true ? compact : offline;
        const verdict = await wallets.verify(proofOf(vector));
        assert.equal(verdict.kind === 'valid' && saysWhatItMust(vector), vector.valid);
        if (verdict.kind === 'valid') assert.equal(verdict.address, wallets.normalizeAddress(vector.address, '1'));
      });
    }
  }

  it('signatures over non-text bytes are recovered', () => {
    const vectors = readVectors('ethereum').filter(isBytesOnly);
    assert.equal(vectors.length, 2);
    for (const { address, message, signature } of vectors) {
      const signer = recoverSigner(
        personalSignHash(hexToBytes(message.slice(2))),
        hexToBytes(String(signature).slice(2)),
      );
      assert.equal(signer, offline.normalizeAddress(address, '1'));
    }
  });

  it('contract wallets of the main network stay undecided while no node is available', async (t) => {
    const node = await startScriptedNode(t, (_request, response) => void response.destroy());
    const wallets = createEvmWallets({ fetch, rpcUrlsOf: () => [node.url], timeoutMs: patientMs });
    const vectors = readVectors('ethereum').filter(needsMainnet);
    for (const vector of vectors) assert.equal((await wallets.verify(proofOf(vector))).kind, 'unknown', vector.name);
    t.diagnostic(`${vectors.length} of the vectors need the state of the main network`);
  });
});

const account = {
  chain: '1',
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  message: 'Latchkey venly 1',
  signature:
    '0xf4818c498e93dcc87d3ef34bbcad26cb6b2591de7011be9617c221a5a16cd66b71a629fe2db00edef0c7313a2d22f6370d4b6c4df5084e6f22321b19324ca6a51c',
};
const verdictOf = async (change: object) => (await offline.verify({ ...account, ...change })).kind;

describe('proofs of EVM accounts', () => {
  it('an address is accepted in one case or with a valid checksum, and stored with the checksum', () => {
    const { address } = account;
    const upper = `0x${address.slice(2).toUpperCase()}`;
    for (const spelling of [address, address.toLowerCase(), upper]) {
      assert.equal(offline.normalizeAddress(spelling, '1'), address);
    }
    const flipped = address.replace('f', 'F');
    for (const wrong of ['', '0x', flipped, address.slice(2), `0X${address.slice(2)}`, `${address}0`, ` ${address}`]) {
      assert.equal(offline.normalizeAddress(wrong, '1'), undefined, wrong);
    }
  });

  it('an address in Ronin’s format is the same account', () => {
    const { address } = account;
    const digits = address.slice(2);
    for (const written of [digits, digits.toLowerCase()])
      assert.equal(offline.normalizeAddress(`ronin:${written}`, '2020'), address);
    for (const wrong of [
      `ronin:${address}`,
      `ronin:${digits.replace('f', 'F')}`,
      `ronin:${digits}0`,
      `Ronin:${digits}`,
    ])
      assert.equal(offline.normalizeAddress(wrong, '2020'), undefined, wrong);
  });

  it('the recovery bit is accepted as 0 and 1 and as 27 and 28', async () => {
    assert.equal(await verdictOf({}), 'valid');
    assert.equal(await verdictOf({ signature: account.signature.replace(/1c$/, '01') }), 'valid');
    for (const v of ['00', '1b', '02', '1d', '25', '26', 'ff']) {
      assert.equal(await verdictOf({ signature: account.signature.replace(/1c$/, v) }), 'invalid', v);
    }
  });

  it('the response of a Venly wallet is accepted when its parts agree', async () => {
    const { signature } = account;
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, `0x${signature.slice(130)}`];
    const answer = { type: 'HEX_SIGNATURE', r, s, v, signature };
    assert.equal(await verdictOf({ signature: answer }), 'valid');
    for (const change of [{ r: s }, { v: '0x1b' }, { type: 'OTHER' }, { signature: 1 }, { v: undefined }]) {
      assert.equal(await verdictOf({ signature: { ...answer, ...change } }), 'invalid');
    }
  });

  it('no malformed proof makes the verifier throw', async () => {
    const strange = [undefined, null, 0, 1n, true, [], {}, '', '0x', '0x0', 'x', '\ud800', Symbol('s'), () => 1, NaN];
    for (const value of strange) {
      for (const name of ['chain', 'address', 'message', 'signature']) {
        assert.equal(await verdictOf({ [name]: value }), 'invalid', `${name}: ${String(value)}`);
      }
      if (value !== undefined && value !== null) {
        assert.equal(await verdictOf({ details: { scheme: value } }), 'invalid');
        assert.equal(await verdictOf({ details: { scheme: 'eip712', typedData: value } }), 'invalid');
      }
    }
    assert.equal(readSignature(`0x${'00'.repeat(40_000)}`), undefined);
  });

  it('a sign-in message that is malformed, or for another address or chain, is refused despite a valid signature', async () => {
    const [vector] = readVectors('opensea');
    assert.ok(vector);
    const proof = proofOf(vector);
    assert.equal((await offline.verify(proof)).kind, 'valid');
    const verdict = await offline.verify({ ...proof, chain: '137' });
    assert.deepEqual(verdict, { kind: 'invalid', reason: 'The message is for another address or chain.' });
  });
});

describe('proofs by typed data', () => {
  const vector = readVectors('ethereum').find((each) => each.name === 'EIP-712 Mail official example');
  assert.ok(vector);
  const proof = proofOf(vector);
  const verify = async (change: Partial<WalletProof>) => (await offline.verify({ ...proof, ...change })).kind;

  it('the typed data may be sent along, and must then match what the server wrote', async () => {
    assert.equal(await verify({ details: { scheme: 'eip712' } }), 'valid');
    const other = proof.message.replace('Hello, Bob!', 'Pay Bob!');
    assert.equal(await verify({ details: { scheme: 'eip712', typedData: JSON.parse(other) } }), 'invalid');
    assert.equal(await verify({ message: other }), 'invalid');
    assert.equal(
      await verify({ message: 'Sign in', details: { scheme: 'eip712', typedData: vector.message } }),
      'invalid',
    );
  });

  it('typed data of another chain is refused', async () => {
    assert.equal(await verify({ chain: '137' }), 'invalid');
  });

  it('only the plain JSON text of the typed data counts', async () => {
    const { message } = proof;
    const details = { scheme: 'eip712' };
    const texts = [
      ` ${message}`,
      message.replace('"chainId":1', '"chainId":1.0'),
      message.replace('"chainId":1', '"chainId":2,"chainId":1'),
      message.replace('Hello', '\\u0048ello'),
      'null',
      '[]',
      '{}',
      '{"types":{},"primaryType":"constructor","domain":{},"message":{}}',
    ];
    for (const text of texts) assert.equal(await verify({ message: text, details }), 'invalid', text);
  });

  it('typed data with unsigned content is refused', async () => {
    const { message } = proof;
    const details = { scheme: 'eip712' };
    const texts = [
      message.replace('"contents":', '"amount":"0","contents":'),
      message.replace('"name":"Cow"', '"name":"Cow","title":"Dr"'),
      message.replace('"chainId":1', '"chainId":1,"salt":"0x00"'),
      message.replace('"Person":', '"Spare":[],"Person":'),
      message.replace('"EIP712Domain":', '"Domain":'),
      message.replace('"primaryType":', '"note":"","primaryType":'),
    ];
    for (const text of texts) {
      assert.notEqual(text, message);
      assert.equal(await verify({ message: text, details }), 'invalid', text);
    }
  });
});
