import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { observed } from '@latchkey/kernel';
import { createMetrics } from './create-metrics.ts';
import { declaredMetrics } from './declared.ts';
import { discordSamples, endpointSamples, expectedCounts, expectedWork } from './metrics-of.ts';
import { serveMetrics } from './serve-metrics.ts';

const noState = async () => [];

describe('metrics', () => {
  test('every metric follows Prometheus naming and has a description', () => {
    for (const [name, { kind, help, labels }] of Object.entries(declaredMetrics)) {
      assert.match(name, /^latchkey_[a-z][a-z_]*[a-z]$/);
      assert.equal(name.endsWith('_total'), kind === 'counter', name);
      assert.match(help, /^[A-Z].*\.$/, name);
      assert.ok(!/_(ms|milliseconds|minutes|kb)$/.test(name), name);
      for (const label of labels) assert.match(label, /^[a-z]+$/, name);
    }
  });

  test('process activity is counted, with its labels', async () => {
    const metrics = createMetrics({ kind: 'worker', readState: noState });
    observed.signIn.record({ method: 'passkey' });
    observed.refusal.record({ code: 'SCOPE_NOT_ALLOWED' });
    observed.endpointRead.record({ service: 'evm:1', host: 'example.org', outcome: 'failure' });
    observed.webhookAttempt.record({ outcome: 'failed' });
    observed.roleChange.record({
      platform: 'discord',
      action: 'grant',
      outcome: 'confirmed',
      cause: 'chain',
      seconds: 4,
    });
    observed.roleChange.record({ platform: 'discord', action: 'revoke', outcome: 'refused' });
    observed.job.record({ name: 'gating.check', outcome: 'failed', seconds: 2 });
    observed.gateway.record({ platform: 'discord', shard: '0', isOpen: true });
    observed.gateway.record({ platform: 'discord', shard: '0', isOpen: false, code: '4004' });
    observed.signature.record({ outcome: 'done' });
    const text = await metrics.read();
    metrics.close();
    for (const line of [
      'latchkey_sign_ins_total{method="passkey"} 1',
      'latchkey_http_refusals_total{code="SCOPE_NOT_ALLOWED"} 1',
      'latchkey_endpoint_reads_total{service="evm:1",host="example.org",outcome="failure"} 1',
      'latchkey_webhook_attempts_total{outcome="failed"} 1',
      'latchkey_role_changes_total{platform="discord",action="grant",outcome="confirmed"} 1',
      'latchkey_role_changes_total{platform="discord",action="revoke",outcome="refused"} 1',
      'latchkey_role_delay_seconds_bucket{le="5",cause="chain"} 1',
      'latchkey_role_delay_seconds_bucket{le="2",cause="chain"} 0',
      'latchkey_job_runs_total{name="gating.check",outcome="failed"} 1',
      'latchkey_gateway_open{platform="discord",shard="0"} 0',
      'latchkey_gateway_closes_total{platform="discord",code="4004"} 1',
      'latchkey_signatures_total{outcome="done"} 1',
    ])
      assert.ok(text.includes(`${line}\n`), `${line}\n${text}`);
    assert.match(text, /latchkey_build_info\{version="[\d.]+",kind="worker"\} 1/);
  });

  test('what should run is known from the settings', () => {
    const nothing = { telegramBotToken: undefined, nearIndex: { network: undefined, from: 0 } };
    const works = (config: Parameters<typeof expectedWork>[1]) =>
      expectedWork({ bots: {} }, config).map(({ labels }) => labels?.work);
    assert.deepEqual(works(nothing), []);
    assert.deepEqual(works({ telegramBotToken: '1:x', nearIndex: { network: 'mainnet', from: 0 } }), [
      'telegram',
      'near-index',
    ]);
    assert.deepEqual(expectedCounts({ expectedWorkers: undefined, expectedReplicas: undefined }), []);
    assert.deepEqual(expectedCounts({ expectedWorkers: 3, expectedReplicas: 2 }), [
      { name: 'latchkey_processes_expected', labels: { kind: 'worker' }, value: 3 },
      { name: 'latchkey_replicas_expected', value: 2 },
    ]);
  });

  test('closed metrics record nothing more', async () => {
    const metrics = createMetrics({ kind: 'worker', readState: noState });
    metrics.close();
    observed.signIn.record({ method: 'unheard' });
    assert.ok(!(await metrics.read()).includes('unheard'));
  });

  test('an unresponsive database omits its metrics, and they return with it', async () => {
    let isDown = true;
    const metrics = createMetrics({
      kind: 'server',
      readState: async () => {
        if (isDown) throw new Error('connection refused');
        return [{ name: 'latchkey_job_oldest_seconds', value: 7 }];
      },
    });
    const down = await metrics.read();
    assert.match(down, /^latchkey_database_up 0$/m);
    assert.doesNotMatch(down, /^latchkey_job_oldest_seconds/m);
    isDown = false;
    const up = await metrics.read();
    assert.match(up, /^latchkey_database_up 1$/m);
    assert.match(up, /^latchkey_job_oldest_seconds 7$/m);
    isDown = true;
    assert.doesNotMatch(await metrics.read(), /^latchkey_job_oldest_seconds/m);
    metrics.close();
  });

  test('endpoint and Discord state is read at each scrape', async () => {
    let sent = 5;
    const metrics = createMetrics({
      kind: 'worker',
      readState: noState,
      readProcess: () => [
        ...endpointSamples([
          { chain: 'evm:1', endpoint: 'endpoint 1', host: 'example.org', state: 'open', errorRate: 1, newestBlock: 9n },
        ]),
        ...discordSamples({
          sent,
          rateLimited: 1,
          invalid: 0,
          budget: { callsPerSecond: 38, callsLeft: 30, refusalsLeft: 499 },
        }),
      ],
    });
    await metrics.read();
    sent = 6;
    const text = await metrics.read();
    metrics.close();
    for (const line of [
      'latchkey_endpoint_suspended{chain="evm:1",endpoint="endpoint 1",host="example.org"} 1',
      'latchkey_endpoint_newest_block{chain="evm:1",endpoint="endpoint 1",host="example.org"} 9',
      'latchkey_discord_calls_total{result="sent"} 6',
      'latchkey_discord_calls_per_second_left 30',
      'latchkey_discord_refusals_left 499',
    ])
      assert.ok(text.includes(`${line}\n`), line);
  });
});

describe('the port for health and metrics', () => {
  const metrics = { contentType: 'text/plain', read: async () => 'latchkey_build_info 1\n' };
  const onLoopback = { host: '127.0.0.1', port: 0, token: undefined };

  test('a process is live at once, and ready and measured once it reports so', async () => {
    const watched: Parameters<typeof serveMetrics>[1] = { isReady: async () => false };
    const served = await serveMetrics(onLoopback, watched);
    const ask = async (path: string) => (await fetch(`${served.url}${path}`)).status;
    assert.deepEqual([await ask('/health/live'), await ask('/health/ready'), await ask('/metrics')], [200, 503, 503]);
    Object.assign(watched, { metrics, isReady: async () => true });
    assert.deepEqual([await ask('/health/ready'), await ask('/metrics')], [200, 200]);
    await served.stop();
  });

  test('nothing else is served, and every refusal has the error shape', async () => {
    const served = await serveMetrics(onLoopback, { metrics, isReady: async () => true });
    for (const [path, method] of [
      ['/', 'GET'],
      ['/metrics', 'POST'],
      ['/ping', 'GET'],
    ] as const) {
      const answer = await fetch(`${served.url}${path}`, { method });
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'ROUTE_NOT_FOUND');
    }
    await served.stop();
  });

  test('with a token, metrics need it and health does not', async () => {
    const served = await serveMetrics({ ...onLoopback, token: 'right' }, { metrics, isReady: async () => true });
    const ask = async (path: string, authorization?: string) =>
      (await fetch(`${served.url}${path}`, { headers: authorization === undefined ? {} : { authorization } })).status;
    assert.deepEqual(
      [
        await ask('/metrics'),
        await ask('/metrics', 'Bearer wrong'),
        await ask('/metrics', 'Bearer rightx'),
        await ask('/metrics', 'Bearer right'),
        await ask('/health/ready'),
      ],
      [401, 401, 401, 200, 200],
    );
    await served.stop();
  });

  test('a port in use is reported with the setting that changes it', async () => {
    const first = await serveMetrics(onLoopback, { isReady: async () => true });
    const { port } = new URL(first.url);
    await assert.rejects(
      serveMetrics({ ...onLoopback, port: Number(port) }, { isReady: async () => true }),
      /LATCHKEY_METRICS_PORT/,
    );
    await first.stop();
  });

  test('a page that rebinds its own name to this machine reads no metrics', async () => {
    const metrics = { contentType: 'text/plain', read: async () => '' };
    const served = await serveMetrics(
      { host: '127.0.0.1', port: 0, token: undefined },
      { metrics, isReady: async () => true },
    );
    const ask = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(`${served.url}/metrics`, { headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once('error', reject)
          .end();
      });
    assert.deepEqual([await ask('evil.example'), await ask('localhost:1'), await ask('127.0.0.1')], [400, 200, 200]);
    await served.stop();
  });
});
