import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { allowedSockets, outboundFaults, unknownLibraries } from './outbound.ts';
import { readSources, root, type SourceFile } from './sources.ts';

function fileOf(text: string, path = 'packages/core/src/x/y.ts', imports: string[] = []): SourceFile {
  return { path, text, lines: 1, imports };
}

test('only egress opens connections, and every library gets its connections from it', () => {
  assert.deepEqual(outboundFaults(readSources()), []);
  assert.deepEqual(
    Object.keys(allowedSockets).filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test('every library of the server is declared to connect by itself or not', () => {
  assert.deepEqual(unknownLibraries(), []);
});

test('a module that opens connections is noticed, and serving or telling addresses apart is not', () => {
  const planted = [
    "import { connect } from 'node:net';",
    "import { isIP, Socket } from 'node:net';",
    "import net from 'node:net';",
    "import * as http from 'node:http';",
    "import { createServer, request } from 'node:http';",
    "import { get } from 'node:https';",
    "import { Agent } from 'undici';",
    "import { WebSocket } from 'ws';",
    "import { lookup } from 'node:dns/promises';",
    "import 'undici';",
    "const tls = await import('node:tls');",
    "const { connect } = process.getBuiltinModule('node:net');",
    'await globalThis.fetch(url);',
    "import { createRemoteJWKSet } from 'jose';",
    "import { JsonRpcProvider } from 'near-api-js';",
  ];
  for (const text of planted) assert.equal(outboundFaults([fileOf(text)]).length, 1, text);
  const free = [
    "import { BlockList, isIP, type Socket } from 'node:net';",
    "import type { Agent } from 'undici';",
    "import { type Socket } from 'node:net';",
    "import { createServer, type IncomingMessage } from 'node:http';",
    "import { SignJWT } from 'jose';",
    'fetch: typeof globalThis.fetch;',
  ];
  for (const text of free) assert.deepEqual(outboundFaults([fileOf(text)]), [], text);
  const [connects = ''] = planted;
  for (const path of [
    'packages/server/src/egress/x.ts',
    'packages/emulators/src/x.ts',
    'packages/client/src/x.ts',
    'packages/core/src/x.test.ts',
  ])
    assert.deepEqual(outboundFaults([fileOf(connects, path)]), []);
});

test('a client of a library that would connect by itself is noticed', () => {
  const planted: [library: string, text: string][] = [
    ['viem', 'const transport = http(url, { timeout: 1 });'],
    ['viem', 'const client = createPublicClient({ transport });'],
    ['viem', 'createWalletClient({ transport, ccipRead: true })'],
    ['@discordjs/rest', "new REST({ version: '10' })"],
    ['grammy', 'new Api(token, { apiRoot })'],
    ['nodemailer', 'createTransport({ host })'],
    ['stripe', 'new Stripe(secretKey, { telemetry: false })'],
    ['@opentelemetry/exporter-trace-otlp-http', 'new OTLPTraceExporter({ url })'],
  ];
  for (const [library, text] of planted)
    assert.equal(outboundFaults([fileOf(text, undefined, [library])]).length, 1, text);
  const good = 'createPublicClient({ transport: http(url, { fetchFn: fetch }), ccipRead: false })';
  assert.deepEqual(outboundFaults([fileOf(good, undefined, ['viem'])]), []);
});

test('a use of the global fetch or WebSocket is noticed by the linter, outside of egress alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-lint-'));
  t.after(() => rm(folder, { recursive: true }));
  const { vcs: _, ...config } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
  await writeFile(join(folder, 'biome.json'), JSON.stringify(config));
  const call = 'await fetch("https://example.com");\nexport {};\n';
  const planted: Record<string, string> = {
    'packages/core/src/calls.ts': call,
    'packages/platforms/src/discord/opens.ts': 'new WebSocket("wss://example.com");\n',
    'packages/core/src/injected.ts':
      'export const ask = ({ fetch }: { fetch: typeof globalThis.fetch }) => fetch("https://example.com");\n',
    'packages/server/src/egress/calls.ts': call,
    'packages/core/src/calls.test.ts': call,
  };
  for (const [path, text] of Object.entries(planted)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const program = join(root, 'node_modules/.bin/biome');
  const { stdout, stderr } = spawnSync(
    program,
    ['lint', '--only=style/noRestrictedGlobals', '--colors=off', 'packages'],
    { cwd: folder, encoding: 'utf8' },
  );
  const noticed = `${stdout}${stderr}`.matchAll(/(packages\S+\.ts):\d+:\d+ lint\/style\/noRestrictedGlobals/g);
  assert.deepEqual([...noticed].map(([, path]) => path).sort(), [
    'packages/core/src/calls.ts',
    'packages/platforms/src/discord/opens.ts',
  ]);
});
