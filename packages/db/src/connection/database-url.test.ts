import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsIn, isDatabaseUrl, shownHost, withLogin } from './database-url.ts';

test('a URL may name several hosts of one database, each with its own port', () => {
  const url = 'postgres://me:p%40ss@a:5432,b.example.org:5433,[::1]/name?sslmode=require';
  assert.deepEqual(hostsIn(url), [
    'postgres://me:p%40ss@a:5432/name?sslmode=require',
    'postgres://me:p%40ss@b.example.org:5433/name?sslmode=require',
    'postgres://me:p%40ss@[::1]/name?sslmode=require',
  ]);
  assert.deepEqual(hostsIn(url).map(shownHost), ['a:5432', 'b.example.org:5433', '[::1]']);
});

test('so may its query, with sockets as well', () => {
  const hosts = hostsIn('postgresql://me@localhost:5432/name?host=%2Frun%2Fa,%2Frun%2Fb&port=5432,5433');
  assert.deepEqual(hosts.map(shownHost), ['/run/a', '/run/b']);
  assert.deepEqual(
    hosts.map((one) => new URL(one).searchParams.get('port')),
    ['5432', '5433'],
  );
});

test('a URL with one host is unchanged', () => {
  for (const url of ['postgres://me@a/name', 'postgresql://a:5432/name?host=/run/a', 'postgres:///name'])
    assert.deepEqual(hostsIn(url), [url]);
});

test('another login replaces the first, whatever it contains', () => {
  assert.equal(withLogin('postgres://me:p%40ss@a,b/name?x=1', 'you'), 'postgres://you@a,b/name?x=1');
  assert.equal(withLogin('postgres://a/name', 'you', 'p:@/'), 'postgres://you:p%3A%40%2F@a/name');
});

test('an invalid PostgreSQL URL is detected', () => {
  for (const url of ['mysql://a/name', 'postgres://a:port/name', 'postgres://a:1,b:99999/name', 'a', ''])
    assert.equal(isDatabaseUrl(url), false, url);
  for (const url of ['postgres://a/name', 'postgresql://me@a:1,b:2/name']) assert.equal(isDatabaseUrl(url), true, url);
});
