import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { evmSignatures } from './personal-sign.ts';
import type { SiweFields } from './siwe.ts';
import { findSiweMismatch } from './siwe.ts';
import { parseSiweMessage, writeSiweMessage } from './wallets.ts';

function readCases<T>(file: string): [name: string, value: T][] {
  const url = new URL(`../../vectors/eip-4361/${file}.json`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(url, 'utf8')));
}

interface SignedCase extends SiweFields {
  signature: string;
  time?: string;
  domainBinding?: string;
  matchNonce?: string;
}

// The cases are published with the reference implementation, which runs them with the current date.
const today = '2026-11-15T00:00:00Z';

function isAccepted({ signature, time = today, domainBinding, matchNonce, ...fields }: SignedCase): boolean {
  let text: string;
  try {
    text = writeSiweMessage(fields);
  } catch {
    return false;
  }
  const parsed = parseSiweMessage(text);
  assert.deepEqual(parsed, fields);
  const expected = {
    domain: domainBinding ?? fields.domain,
    nonce: matchNonce ?? fields.nonce,
    now: new Date(time),
    address: fields.address,
    chainId: fields.chainId,
  };
  const signer = evmSignatures.recoverPersonalSign(text, signature);
  return findSiweMismatch(parsed, expected) === undefined && signer === fields.address;
}

describe('Sign-In with Ethereum', () => {
  for (const [name, { message, fields }] of readCases<{ message: string; fields: SiweFields }>('parsing_positive')) {
    it(`a valid message survives a round trip unchanged: ${name}`, () => {
      const expected = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
      assert.deepEqual(parseSiweMessage(message), expected);
      assert.equal(writeSiweMessage({ ...fields, scheme: fields.scheme ?? undefined }), message);
    });
  }

  for (const [name, message] of readCases<string>('parsing_negative')) {
    it(`an invalid message is not parsed: ${name}`, () => assert.equal(parseSiweMessage(message), undefined));
  }

  for (const [name, fields] of readCases<SiweFields>('parsing_negative_objects')) {
    it(`invalid fields are not written: ${name}`, () =>
      assert.throws(() => writeSiweMessage(fields), /is missing or malformed/));
  }

  for (const [name, signed] of readCases<SignedCase>('verification_positive')) {
    it(`a signed message is accepted: ${name}`, () => assert.equal(isAccepted(signed), true));
  }

  for (const [name, signed] of readCases<SignedCase>('verification_negative')) {
    it(`a signed message is refused: ${name}`, () => assert.equal(isAccepted(signed), false));
  }

  for (const [name, { message, signature }] of readCases<{ message: string; signature: string }>('eip1271')) {
    it(`the message of a contract wallet is parsed, and no key passes for the contract: ${name}`, () => {
      const fields = parseSiweMessage(message);
      assert.ok(fields);
      assert.equal(writeSiweMessage(fields), message);
      assert.notEqual(evmSignatures.recoverPersonalSign(message, signature), fields.address);
    });
  }
});

const plain: SiweFields = {
  domain: 'latchkey.example',
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  uri: 'https://latchkey.example/connect',
  version: '1',
  chainId: 1,
  nonce: 'k3nJw0pQz7',
  issuedAt: '2026-11-15T00:00:00Z',
};

describe('the grammar of EIP-4361', () => {
  it('messages survive a round trip, with all fields and with the fewest', () => {
    const full: SiweFields = {
      ...plain,
      scheme: 'https',
      domain: 'user@[2001:db8::1]:8443',
      statement: "URI: it's fine, isn't it?",
      expirationTime: '2028-02-29T23:59:59.123456+14:00',
      notBefore: '2026-11-14T23:59:59-00:30',
      requestId: '',
      resources: [],
    };
    for (const fields of [plain, full, { ...full, resources: ['urn:isbn:0451450523', 'a:', 'ipfs://Qm/a%20b?c#d'] }]) {
      assert.deepEqual(parseSiweMessage(writeSiweMessage(fields)), fields);
    }
  });

  const wrong: { [Name in keyof SiweFields]?: readonly unknown[] } = {
    scheme: ['', '1http', 'ht tp', 'https:'],
    domain: [
      '',
      'a b',
      'a/b',
      'a\nb',
      '[::g]',
      '[::1',
      '[fe80::1%eth0]',
      'user@',
      ':80',
      'a:80x',
      'bücher.example',
      'a@b@c',
    ],
    address: [plain.address.toLowerCase(), plain.address.slice(0, -1), `${plain.address} `],
    statement: ['', 'two\nlines', 'ünïcode', 'quote"', 'tab\t', 'back\\slash', 'per%cent'],
    uri: [
      '',
      'latchkey.example',
      '//latchkey.example',
      'https://a b',
      'https://a/%zz',
      'https://[::g]/',
      'https://a/\u00e9',
      1,
    ],
    version: ['2', 1, ''],
    chainId: [0, -1, 1.5, 2 ** 53, Number.NaN, '1'],
    nonce: ['1234567', '1234567!', '12345678 ', 'abcdefgh\n'],
    issuedAt: [
      '2026-11-15',
      '2026-11-15 00:00:00Z',
      '2026-11-15T00:00:00',
      '2026-11-15T24:00:00Z',
      '2026-11-15T00:60:00Z',
      '2026-11-15T00:00:60Z',
      '2026-11-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2026-11-15T00:00:00+24:00',
      '2026-11-15T00:00:00.Z',
      '+02026-11-15T00:00:00Z',
    ],
    requestId: ['a b', 'a/b', 'a\n', '%'],
    resources: ['https://a', [''], ['https://a', 1], ['a']],
  };
  for (const [name, values] of Object.entries(wrong)) {
    it(`an invalid ${name} is neither written nor parsed`, () => {
      for (const value of values) {
        assert.throws(
          () => writeSiweMessage({ ...plain, [name]: value }),
          new RegExp(`The field ${name} of a sign-in message`),
          String(value),
        );
      }
    });
  }

  it('a text with a single deviation from the grammar is not parsed', () => {
    const message = writeSiweMessage({ ...plain, requestId: 'r', resources: ['https://a'] });
    const spoilt = [
      '',
      `${message}\n`,
      `\n${message}`,
      ` ${message}`,
      `${message}\n- a b`,
      message.replaceAll('\n', '\r\n'),
      message.replace('Chain ID: 1', 'Chain ID: 01'),
      message.replace('Chain ID: 1', 'Chain ID: 0x1'),
      message.replace('Chain ID: 1', 'Chain ID: 9007199254740993'),
      message.replace('\nResources:', '\nRequest ID: s\nResources:'),
      message.replace('Ethereum account', 'Solana account'),
      message.replace('\n\n\n', '\n\n'),
      message.replace('\n\n\n', '\n\n\n\n'),
    ];
    for (const text of spoilt) assert.equal(parseSiweMessage(text), undefined, JSON.stringify(text));
  });

  it('a message expires at its expiration time and starts at its start, to the millisecond', () => {
    const fields = { ...plain, notBefore: '2026-11-15T01:00:00.000+01:00', expirationTime: '2026-11-15T00:05:00Z' };
    const at = (time: string) => findSiweMismatch(fields, { ...plain, now: new Date(time) });
    assert.match(at('2026-11-14T23:59:59.999Z') ?? '', /not valid yet/);
    assert.equal(at('2026-11-15T00:00:00Z'), undefined);
    assert.equal(at('2026-11-15T00:04:59.999Z'), undefined);
    assert.match(at('2026-11-15T00:05:00Z') ?? '', /expired/);
  });

  it('a message for another domain, nonce, address or chain is refused', () => {
    const now = new Date(plain.issuedAt);
    const against = (change: object) => findSiweMismatch(plain, { ...plain, now, ...change });
    assert.equal(against({}), undefined);
    assert.match(against({ domain: 'latchkey.example.evil.example' }) ?? '', /domain/);
    assert.match(against({ nonce: 'k3nJw0pQz8' }) ?? '', /nonce/);
    assert.match(against({ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) ?? '', /address/);
    assert.match(against({ chainId: 137 }) ?? '', /chain/);
  });
});
