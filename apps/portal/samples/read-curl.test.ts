import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCurl } from './read-curl.ts';

const url = 'http://server/x';

test('a command without data is a GET, and one with data a POST of a form', () => {
  assert.deepEqual(readCurl(['-s', url]), { method: 'GET', url, headers: [], body: undefined });
  assert.deepEqual(readCurl([url, '-d', 'a=1', '--data-urlencode', 'b=c d&e']), {
    method: 'POST',
    url,
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: 'a=1&b=c%20d%26e',
  });
});

test('a method, headers and a name with a password are sent as they are given', () => {
  const words = ['-X', 'PUT', url, '-H', 'Content-Type: application/json', '--data', '{}', '-u', 'id:secret'];
  assert.deepEqual(readCurl(words), {
    method: 'PUT',
    url,
    headers: [
      ['content-type', 'application/json'],
      ['authorization', 'Basic aWQ6c2VjcmV0'],
    ],
    body: '{}',
  });
});

test('-G moves the data into the address', () => {
  const words = ['-G', '--data-urlencode', 'id=DIS#1', '-d', 'b=2'];
  assert.deepEqual(readCurl([...words, url]), {
    method: 'GET',
    url: `${url}?id=DIS%231&b=2`,
    headers: [],
    body: undefined,
  });
  assert.equal(readCurl([...words, '-X', 'POST', `${url}?a=0`]).url, `${url}?a=0&id=DIS%231&b=2`);
  assert.equal(readCurl([...words, '-X', 'POST', url]).method, 'POST');
});

test('options that samples do not use are rejected by name', () => {
  assert.throws(() => readCurl(['-i', url]), /uses -i/);
  assert.throws(() => readCurl(['-s']), /without an address/);
  assert.throws(() => readCurl([url, 'http://server/y']), /second address/);
  assert.throws(() => readCurl([url, '-d']), /nothing behind -d/);
  assert.throws(() => readCurl([url, '-d', '@body.json']), /the file body\.json/);
  assert.throws(() => readCurl([url, '-H', 'authorization AE']), /header/);
  assert.throws(() => readCurl([url, '--data-urlencode', 'alone']), /name=value/);
  assert.throws(() => readCurl(['http://server/DIS#COMM#1']), /has # in the address/);
});
