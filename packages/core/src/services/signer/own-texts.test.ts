import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ethereumRequestText } from '../../identity/credentials/verify-ethereum-header.ts';
import { type LinkTarget, writeLinkMessage } from '../../identity/wallets/link-message.ts';
import { writeMessage } from '../../linking/ethereum-login/operations.ts';
import { effectHere, ownHostsOf } from './own-texts.ts';

const userId = 'DIS#USER#5';
const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const now = new Date('2026-05-01T10:00:00Z');
const terms = { nonce: 'n'.repeat(24), issuedAt: now, expiresAt: now };
const hosts = ownHostsOf('https://latchkey.example');
const effect = (text: string) => effectHere(text, { userId, hosts });

const login = (domain: string, account: string | undefined) =>
  writeMessage({
    ...terms,
    domain,
    asker: { name: 'Cat Finder', isApplication: domain !== 'latchkey.example' },
    uri: `https://${domain}/`,
    address: account,
    chain: '1',
    requestId: 'Zm9vYmFyX2Zvb2Jh',
    resources: ['https://latchkey.example/terms'],
  });
const link = (user: string, target?: LinkTarget, baseUrl = 'https://latchkey.example') =>
  writeLinkMessage({ ...terms, baseUrl, userId: user, userName: 'Ann', target });
const siwe = (domain: string, uri: string) =>
  `${domain} wants you to sign in with your Ethereum account:\n${address}\n\nHello.\n\nURI: ${uri}\nVersion: 1\nChain ID: 1\nNonce: 32891756\nIssued At: 2026-05-01T10:00:00Z`;

describe('texts with a meaning on this server', () => {
  test('its own sign-in texts are logins, including those for an application’s page', () => {
    for (const domain of ['latchkey.example', 'shop.example'])
      for (const account of [address, undefined]) assert.equal(effect(login(domain, account)), 'login', domain);
  });

  test('the text of the Ethereum header is a login', () => {
    for (const baseUrl of ['https://latchkey.example', 'https://elsewhere.example'])
      assert.equal(
        effect(
          ethereumRequestText({ ...terms, baseUrl, method: 'GET', path: '/account', issuedAt: now.toISOString() }),
        ),
        'login',
      );
  });

  test('any sign-in message for this server is a login, in any notation', () => {
    const spellings = [
      siwe('latchkey.example', 'https://latchkey.example'),
      siwe('LATCHKEY.Example', 'https://other.example'),
      siwe('other.example', 'https://latchkey.example/login'),
      siwe('other.example', 'HTTPS://Latchkey.EXAMPLE:443/'),
      siwe('other.example', 'https://me@latchkey.example:8443'),
      siwe('other.example', 'https://latchkey.example./'),
      siwe('other.example', 'https://%6catchkey.example/'),
      siwe('https://latchkey.example', 'https://other.example'),
      siwe('latch\u200bkey.example', 'https://other.example'),
      siwe('ｌatchkey.example', 'https://other.example'),
      siwe('latchkey。example', 'https://other.example'),
      siwe('latchkey.example', 'https://other.example').replaceAll(' ', '\u00a0\t '),
      siwe('latchkey.example', 'https://other.example').replace('sign in', 'SIGN-IN'),
      `\n\n${siwe('latchkey.example', 'https://other.example')}\n`,
      'Log in to latchkey.example',
    ];
    for (const text of spellings) assert.equal(effect(text), 'login', JSON.stringify(text.slice(0, 120)));
  });

  test('changes of case, spaces and punctuation do not disguise a login', () => {
    const text = login('shop.example', address);
    for (const changed of [text.toUpperCase(), text.replaceAll(' ', '  '), text.replaceAll('\n', '\r\n'), `. ${text}`])
      assert.equal(effect(changed), 'login');
  });

  test('a message that links the wallet says whose account it is for', () => {
    const account = { namespace: 'evm', chain: '1', address };
    const targets = [
      undefined,
      account,
      { ...account, signer: address, communityId: '1' },
      { ...account, asTypedData: true },
    ];
    for (const target of targets)
      for (const baseUrl of ['https://latchkey.example', 'https://elsewhere.example']) {
        assert.equal(effect(link(userId, target, baseUrl)), 'own-link');
        assert.equal(effect(link('DIS#USER#55', target, baseUrl)), 'foreign-link');
        assert.equal(effect(link('DIS#USER#6', target, baseUrl)), 'foreign-link');
      }
  });

  test('an account that is named twice, or in an unexpected place, is not taken for the user’s', () => {
    for (const text of [
      `${link('DIS#USER#6')}\nAccount: ${userId}`,
      link('DIS#USER#6').replace('(Ann)', `(Ann)\nAccount: ${userId}`),
      link('DIS#USER#6').replace('Account:', 'account:'),
      link(userId).replace('Account:', 'ACCOUNT:'),
    ])
      assert.equal(effect(text), 'foreign-link');
    assert.equal(effect(`${link(userId)}\n\n${login('shop.example', address)}`), 'login');
  });

  test('the fixed text of the Ethereum header signs a user in, and a text that only mentions it does not', () => {
    for (const text of ['api.collab.land', ' API.collab.land\n']) assert.equal(effect(text), 'login');
    assert.equal(effect('My API is like api.collab.land'), 'none');
  });

  test('other texts mean nothing here', () => {
    for (const text of [
      'I agree to the rules of latchkey.example.',
      siwe('shop.example', 'https://shop.example/login'),
      siwe('latchkey.example.shop.example', 'https://latchkey.example.org'),
      siwe('notlatchkey.example', 'https://my-latchkey.example'),
      'Sign in to Example',
      '{"types":{},"primaryType":"Vote","domain":{"name":"Chainlink"},"message":{}}',
      '{"primaryType":',
    ])
      assert.equal(effect(text), 'none', text.slice(0, 80));
  });

  test('a server on a developer’s machine is known by its port', () => {
    const local = ownHostsOf('http://localhost:3000');
    const local3000 = (text: string) => effectHere(text, { userId, hosts: local });
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
      assert.equal(local3000(siwe(host, `http://${host}`)), 'login', host);
    assert.equal(local3000(siwe('localhost:5173', 'http://localhost:5173')), 'none');
  });

  test('the longest text is evaluated in one pass', () => {
    for (const unit of ['\n', ' ', '{', 'a.b ', 'Request ID: ', 'Account: ', '(', '%41.'])
      effect(`wants you to sign in with your nonce ${unit.repeat(32_000 / unit.length)}`);
  });
});
