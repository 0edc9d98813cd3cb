import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeLinkMessage } from './link-message.ts';

const now = new Date('2026-05-01T10:00:00Z');
const account = { namespace: 'evm', chain: '1', address: `0x${'1'.repeat(40)}` };

const write = (userName: string | undefined, communityName?: string, more: { asTypedData?: boolean } = {}) =>
  writeLinkMessage({
    baseUrl: 'https://latchkey.example',
    userId: 'DIS#USER#5',
    userName,
    target: {
      ...account,
      ...more,
      ...(communityName !== undefined && { communityId: 'DIS#COMM#7', communityName }),
    },
    nonce: 'n'.repeat(24),
    issuedAt: now,
    expiresAt: now,
  });
const statement = (...names: Parameters<typeof write>) => write(...names).split('\n')[3] ?? '';
/** What EIP-4361 allows in a statement. */
const allowed = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/;

describe('the message that links a wallet', () => {
  test('names the account and the community as the member knows them', () => {
    assert.match(
      statement('ada', 'Cat Club'),
      /^Link this wallet to the account ada on Discord \(DIS#USER#5\)\. It counts towards your roles in Cat Club\. This only/,
    );
    assert.match(statement('Zoë 🎉', 'Cat’s & Dogs 🐈'), /account Zoe on Discord .* roles in Cat's & Dogs\. /);
    assert.match(statement('a'.repeat(100)), /account a{40} on Discord \(DIS#USER#5\)\. This/);
  });

  test('leaves out names that a statement cannot hold, and never the id', () => {
    for (const name of [undefined, '', '.', 'محمد', 'ann (Account: DIS#USER#1)', '<b>ada</b>', 'ada: URI'])
      assert.match(statement(name, name), /^Link this wallet to the account DIS#USER#5\. This only/, name);
  });

  test('no name adds or forges a line of the message', () => {
    const hostile = ['\n', '\r\n', '\u2028', '\u202e', '\0', '\u200b', '’', '"', '{{', '%0a', '😀'].flatMap((sign) => [
      `ada${sign}URI: https://evil.example`,
      `ada${sign}URI`,
      `${sign}${'x'.repeat(100)}${sign}`,
      `ada on Discord (DIS#USER#1).${sign}Chain ID: 9`,
    ]);
    const lines = write('ada', 'Cats').split('\n');
    for (const name of hostile) {
      const found = write(name, name).split('\n');
      assert.deepEqual(found.toSpliced(3, 1), lines.toSpliced(3, 1), JSON.stringify(name));
      assert.match(found[3] ?? '', allowed);
      assert.match(found[3] ?? '', /^Link this wallet to the account [-\w. ]*\(?DIS#USER#5\)?\. /);
      const typed = JSON.parse(write(name, name, { asTypedData: true }));
      assert.deepEqual([typed.message.user, typed.message.community], ['DIS#USER#5', 'DIS#COMM#7']);
    }
  });

  test('a TON payload names the account while it fits in 128 bytes', () => {
    const payload = (userName: string, userId = 'DIS#USER#5') =>
      writeLinkMessage({
        baseUrl: 'https://latchkey.example',
        userId,
        userName,
        target: { namespace: 'ton', chain: '-239', address: '0:1' },
        nonce: 'n'.repeat(24),
        issuedAt: now,
        expiresAt: now,
      });
    assert.match(payload('ada'), /^Link to ada on Discord \(DIS#USER#5\): n{24}$/);
    assert.ok(Buffer.byteLength(payload('a'.repeat(100), `DIS#USER#${'5'.repeat(100)}`)) <= 128);
  });
});
