import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { guideFolders } from '../config/page-folders.ts';
import { httpAsCurl } from './http-as-curl.ts';
import { readAllSamples } from './read-samples.ts';
import { translateCurl } from './translate-curl.ts';

test('a request with a body is sent with its method, headers and body', () => {
  const text = 'PUT /things/$ID HTTP/1.1\nauthorization: AE $TOKEN\ncontent-type: application/json\n\n{"a": 1}\n';
  const curl = `curl -s -X PUT "$LATCHKEY_URL/things/$ID" \\
  -H "authorization: AE $TOKEN" \\
  -H "content-type: application/json" \\
  -d @- <<EOF
{"a": 1}
EOF`;
  assert.equal(httpAsCurl(text), curl);
});

test('a method that curl chooses by default is omitted', () => {
  assert.equal(httpAsCurl('GET /things HTTP/1.1'), 'curl -s "$LATCHKEY_URL/things"');
  assert.match(httpAsCurl('POST /things HTTP/1.1\ncontent-type: application/json\n\n{}') ?? '', /^curl -s "/);
  assert.match(httpAsCurl('POST /things HTTP/1.1') ?? '', /^curl -s -X POST "/);
});

test('a line with a placeholder is not a request', () => {
  assert.equal(httpAsCurl('GET /things/{id} HTTP/1.1'), undefined);
  assert.equal(httpAsCurl('GET /things HTTP/1.1\nauthorization: AE <your token>'), undefined);
  assert.equal(httpAsCurl('GET /things'), undefined);
});

test('every request that a guide writes out is shown in curl, TypeScript and Python', () => {
  const written = readAllSamples(portalFolder).filter(
    ({ language, file }) => language === 'http' && guideFolders.some((folder) => file.startsWith(`${folder}/`)),
  );
  assert.ok(written.length > 0);
  const untranslated = written.filter(({ text }) => translateCurl(httpAsCurl(text) ?? '') === undefined);
  assert.deepEqual(
    untranslated.map(({ file, line }) => `${file}:${line}`),
    [],
  );
});
