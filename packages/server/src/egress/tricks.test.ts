import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type EgressRefusal, EgressRefused } from '@latchkey/core/ports';
import { createEgress } from './index.ts';
import { listenForIntruders } from './testing/canary.ts';

describe('egress: tricks', () => {
  /** `PORT` is replaced with the canary's port; `dns` is what every name resolves to. */
  type Trick = [url: string, reason: EgressRefusal, dns?: string[]];

  const loopbackSpellings: Trick[] = [
    ['http://127.0.0.1:PORT/', 'address'],
    ['http://127.1:PORT/', 'address'],
    ['http://127.0.1:PORT/', 'address'],
    ['http://2130706433:PORT/', 'address'],
    ['http://0x7f000001:PORT/', 'address'],
    ['http://0x7F.0.0.1:PORT/', 'address'],
    ['http://0x7f.1:PORT/', 'address'],
    ['http://017700000001:PORT/', 'address'],
    ['http://0177.0.0.1:PORT/', 'address'],
    ['http://0177.0x0.0.1:PORT/', 'address'],
    ['http://127.0.0.1.:PORT/', 'address'],
    ['http://127%2e0%2e0%2e1:PORT/', 'address'],
    ['http://127。0。0。1:PORT/', 'address'],
    ['http://①②⑦.⓪.⓪.①:PORT/', 'address'],
    ['http:127.0.0.1:PORT/', 'address'],
    ['http:///127.0.0.1:PORT/', 'address'],
    ['http:\\\\127.0.0.1:PORT\\', 'address'],
    ['  http://127.0.0.1:PORT/\n', 'address'],
    ['ht\ntp://127.0.\t0.1:PORT/', 'address'],
    ['http://127.0.0.1:PORT#@example.com/', 'address'],
    ['http://127.0.0.1:PORT?@example.com/', 'address'],
  ];

  const otherTricks: Trick[] = [
    ['https://127.0.0.1:PORT/', 'address'],
    ['http://127.0.0.2:PORT/', 'address'],
    ['http://127.255.255.254:PORT/', 'address'],
    ['http://0:PORT/', 'address'],
    ['http://0.0.0.0:PORT/', 'address'],
    ['http://[::1]:PORT/', 'address'],
    ['http://[0:0:0:0:0:0:0:1]:PORT/', 'address'],
    ['http://[::]:PORT/', 'address'],
    ['http://[::ffff:127.0.0.1]:PORT/', 'address'],
    ['http://[::ffff:7f00:1]:PORT/', 'address'],
    ['http://[::127.0.0.1]:PORT/', 'address'],
    ['http://[::ffff:0:127.0.0.1]:PORT/', 'address'],
    ['http://[64:ff9b::127.0.0.1]:PORT/', 'address'],
    ['http://[64:ff9b:1::127.0.0.1]:PORT/', 'address'],
    ['http://[2002:7f00:1::]:PORT/', 'address'],
    ['http://[2001:0:7f00:1::]:PORT/', 'address'],
    ['http://[fe80::1]:PORT/', 'address'],
    ['http://[fec0::1]:PORT/', 'address'],
    ['http://[fd12:3456::1]:PORT/', 'address'],
    ['http://[fd00:ec2::254]/latest/meta-data/', 'address'],
    ['http://[ff02::1]:PORT/', 'address'],
    ['http://10.0.0.1:PORT/', 'address'],
    ['http://172.16.0.1:PORT/', 'address'],
    ['http://192.168.1.1:PORT/', 'address'],
    ['http://100.64.0.1:PORT/', 'address'],
    ['http://169.254.169.254/latest/meta-data/', 'address'],
    ['http://2852039166/latest/meta-data/', 'address'],
    ['http://100.100.100.200/latest/meta-data/', 'address'],
    ['http://168.63.129.16/machine', 'address'],
    ['http://198.18.0.1:PORT/', 'address'],
    ['http://192.0.2.1:PORT/', 'address'],
    ['http://224.0.0.1:PORT/', 'address'],
    ['http://255.255.255.255:PORT/', 'address'],
    ['http://localhost:PORT/', 'host'],
    ['http://LOCALHOST:PORT/', 'host'],
    ['http://ⓛocalhost:PORT/', 'host'],
    ['http://localhost.:PORT/', 'host'],
    ['http://app.localhost:PORT/', 'host'],
    ['http://localhost.localdomain:PORT/', 'host'],
    ['http://printer.local:PORT/', 'host'],
    ['http://metadata.google.internal/computeMetadata/v1/', 'host'],
    ['http://example.com.:PORT/', 'host'],
    ['http://rebound.example:PORT/', 'address', ['127.0.0.1']],
    ['http://rebound.example:PORT/', 'address', ['::1']],
    ['http://rebound.example:PORT/', 'address', ['::ffff:127.0.0.1']],
    ['http://rebound.example:PORT/', 'address', ['64:ff9b::7f00:1']],
    ['http://rebound.example:PORT/', 'address', ['fe80::1%lo']],
    ['http://rebound.example:PORT/', 'address', ['0.0.0.0']],
    ['http://rebound.example:PORT/', 'address', ['169.254.169.254']],
    ['http://rebound.example:PORT/', 'address', ['93.184.216.34', '127.0.0.1']],
    ['http://rebound.example:PORT/', 'address', ['2606:4700:4700::1111', '::1']],
    ['http://rebound.example:PORT/', 'address', ['0x7f000001']],
    ['https://rebound.example:PORT/', 'address', ['127.0.0.1']],
    ['http://127.0.0.1.nip.io:PORT/', 'address', ['127.0.0.1']],
    ['http://example.com\\@rebound.example:PORT/', 'address', ['127.0.0.1']],
    ['http://postgres:PORT/', 'address', ['10.0.0.5']],
    ['http://example.com@127.0.0.1:PORT/', 'userinfo'],
    ['http://user:secret@example.com:PORT/', 'userinfo'],
    ['http://:secret@example.com:PORT/', 'userinfo'],
    ['http://example.com:22/', 'port'],
    ['http://example.com:25/', 'port'],
    ['https://example.com:5432/', 'port'],
    ['http://example.com:6379/', 'port'],
    ['ftp://127.0.0.1:PORT/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://127.0.0.1:PORT/_x', 'scheme'],
    ['data:text/plain,x', 'scheme'],
    ['ws://127.0.0.1:PORT/', 'scheme'],
    ['blob:http://127.0.0.1:PORT/x', 'scheme'],
    ['//127.0.0.1:PORT/', 'bad_url'],
    ['127.0.0.1:PORT', 'bad_url'],
    ['http://', 'bad_url'],
    ['http://127.0.0.1:99999/', 'bad_url'],
    ['http://[::1%25lo]:PORT/', 'bad_url'],
    ['http://256.256.256.256:PORT/', 'bad_url'],
  ];

  let canary: Awaited<ReturnType<typeof listenForIntruders>>;
  before(async () => {
    canary = await listenForIntruders();
  });
  after(() => canary.close());

  const withPort = (url: string) => url.replace('PORT', String(canary.port));

  test(`${loopbackSpellings.length + otherTricks.length} tricks are refused and a listener on loopback sees nothing`, async () => {
    const seenBefore = canary.connections();
    for (const [url, reason, dns = ['127.0.0.1']] of [...loopbackSpellings, ...otherTricks]) {
      const egress = createEgress({ resolve: async () => dns, timeoutMs: 20_000 });
      const outcome = await egress.send({ method: 'GET', url: withPort(url) }).catch((error: unknown) => error);
      assert.ok(outcome instanceof EgressRefused, `${url} was not refused: ${outcome}`);
      assert.equal(outcome.reason, reason, `${url}: ${outcome.message}`);
    }
    assert.equal(canary.connections() - seenBefore, 0);
  });

  test('every notation of loopback does reach the listener once the operator allows it', async () => {
    const open = createEgress({
      allowPrivate: { hosts: ['0x7f.1', 'rebound.example'] },
      resolve: async () => ['127.0.0.1'],
    });
    for (const url of [...loopbackSpellings.map(([url]) => url), 'http://rebound.example:PORT/']) {
      const seenBefore = canary.connections();
      const { status } = await open.send({ method: 'GET', url: withPort(url) });
      assert.deepEqual([status, canary.connections() - seenBefore], [200, 1], url);
    }
  });

  test('allowing one host allows no other', async () => {
    const egress = createEgress({ allowPrivate: { hosts: ['receiver.example'] }, resolve: async () => ['127.0.0.1'] });
    for (const url of ['http://127.0.0.1:PORT/', 'http://other.example:PORT/', 'http://sub.receiver.example:PORT/']) {
      await assert.rejects(egress.send({ method: 'GET', url: withPort(url) }), EgressRefused, url);
    }
  });

  test('metadata, link-local and unspecified addresses stay blocked when private ones are allowed', async () => {
    for (const address of ['169.254.169.254', '0.0.0.0', '100.100.100.200', 'fd00:ec2::254', '::ffff:127.0.0.1']) {
      const egress = createEgress({ allowPrivate: true, resolve: async () => [address] });
      const host = address.includes(':') ? `[${address}]` : address;
      for (const url of [`http://${host}:PORT/`, 'http://any.example:PORT/']) {
        await assert.rejects(egress.send({ method: 'GET', url: withPort(url) }), EgressRefused, `${url} ${address}`);
      }
    }
  });

  test('a refusal names the host but neither path, query, user nor resolved address', async () => {
    const egress = createEgress({ resolve: async () => ['10.9.8.7'] });
    const urls = [
      'http://hooks.example/path-token?key=query-token#frag',
      'http://name:secret@hooks.example/path-token',
    ];
    for (const url of urls) {
      const refused = await egress.send({ method: 'POST', url }).catch((error: Error) => error);
      assert.ok(refused instanceof EgressRefused);
      assert.match(refused.message, /hooks\.example/);
      assert.doesNotMatch(`${refused.message} ${JSON.stringify(refused)}`, /token|frag|name:|secret|10\.9\.8\.7/);
    }
  });

  test('a setting that is not a host is refused at start', () => {
    for (const host of ['', 'http://example.com', 'example.com:8080', 'a b']) {
      assert.throws(() => createEgress({ allowPrivate: { hosts: [host] } }), /is not a host name/, host);
    }
  });
});
