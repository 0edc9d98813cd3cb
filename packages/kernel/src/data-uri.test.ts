import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readDataUri } from './index.ts';

it('a data URI is read as fetch reads it, without a request', async () => {
  const uris = [
    'data:,plain%20text%2C%20%C3%BC and ü',
    'data:application/json;utf8,{"a":1}',
    'data:application/json;charset=utf-8;base64,eyJhIjoiw7wifQ==',
    'data:image/svg+xml;base64,PHN2Zy8%2B',
    'DATA:text/plain;BASE64,aGk',
    'data:image/svg+xml,<svg fill="red"/>#part',
    'data:,100%',
  ];
  for (const uri of uris) {
    const fetched = new Uint8Array(await (await fetch(uri)).arrayBuffer());
    assert.deepEqual(Buffer.from(readDataUri(uri) ?? []), Buffer.from(fetched), uri);
  }
  for (const uri of ['data:no comma', 'https://example.com/,', '']) assert.equal(readDataUri(uri), undefined, uri);
});
