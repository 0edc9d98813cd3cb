import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress } from './server-address.ts';

const page = 'http://10.0.0.5:3001';

test('an address is normalized', () => {
  const read: Record<string, string> = {
    ' http://127.0.0.1:3000/ ': 'http://127.0.0.1:3000',
    'localhost:3000': 'http://localhost:3000',
    'api.example': 'https://api.example',
    'https://api.example/v1//': 'https://api.example/v1',
    'https://api.example/?a=1#b': 'https://api.example',
    'http://10.0.0.5:3001': 'http://10.0.0.5:3001',
  };
  for (const [text, address] of Object.entries(read)) assert.deepEqual(readAddress(text, page), { address }, text);
});

test('an address that the browser cannot reach, or that contains a secret, is rejected with a reason', () => {
  for (const text of [
    '',
    '   ',
    'http://',
    'ftp://x',
    'javascript://x',
    'http://api.example',
    'http://localhost.example',
    'https://me:secret@api.example',
  ])
    assert.ok('problem' in readAddress(text, page), text);
});
