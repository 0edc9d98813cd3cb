import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createHostCheck } from './serve.ts';

describe('the name in the Host header', () => {
  const check = createHostCheck({
    baseUrl: 'https://id.Example/latchkey',
    extraHosts: ['latchkey.internal', 'backend'],
  });
  const ask = (host: string | undefined, { url = '/ping', ip = '10.0.0.9', remoteAddress = '10.0.0.9' } = {}) =>
    check({ url, ip, headers: host === undefined ? {} : { host }, raw: { socket: { remoteAddress } } });

  test('may be that of the base URL, a local name, one the operator added, or an IP address, on any port', () => {
    for (const host of [
      'id.example',
      'ID.example.',
      'id.example:8443',
      'latchkey.internal',
      'backend:3000',
      'localhost:3000',
      '127.0.0.1:3000',
      '[::1]:3000',
      '10.1.2.3:3000',
      '[2001:db8::1]',
    ])
      assert.equal(ask(host), undefined, host);
    assert.equal(ask(undefined), undefined, 'HTTP/1.0 has no Host header');
  });

  test('may not be anything else, which prevents DNS rebinding', () => {
    for (const host of [
      'evil.example',
      'evil.example:3000',
      'id.example.evil.example',
      'evil-id.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil@localhost',
      'id.example, evil.example',
      'id.example:x',
      'localhost/evil.example',
      '',
      '[::1].evil.example',
    ])
      assert.equal(ask(host)?.code, 'INVALID_PARAMETER_VALUE', host);
  });

  test('does not matter for probes, metrics collectors, and requests from a trusted proxy', () => {
    for (const url of ['/health/live', '/health/ready?x=1', '/metrics'])
      assert.equal(ask('pod.cluster.local', { url }), undefined, url);
    assert.notEqual(ask('pod.cluster.local', { url: '/health/ready/../../ping' }), undefined);
    assert.equal(ask('upstream', { ip: '203.0.113.7' }), undefined);
  });
});
