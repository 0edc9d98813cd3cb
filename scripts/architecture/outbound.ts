import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTestFile, root, type SourceFile } from './sources.ts';

/** The packages of the server. The others run on other machines, or are emulators. */
const serverPackages = ['adapter-kit', 'chains', 'core', 'db', 'integrations', 'kernel', 'platforms', 'server'];

const wayOut = 'packages/server/src/egress/';

/** Files outside of egress that touch sockets, and why they may. */
export const allowedSockets: Readonly<Record<string, string>> = {
  'packages/db/src/database.ts': 'recognizes the sockets of PostgreSQL connections, and opens none',
  'packages/db/src/embedded/claim-server.ts':
    'hands the PostgreSQL client a socket that does not keep the process alive',
};

/** What in Node's own modules opens connections. Serving and parsing addresses is allowed. */
const openers: Readonly<Record<string, RegExp>> = {
  'node:http': /(?<!type )\b(request|get|Agent|globalAgent|ClientRequest)\b/,
  'node:https': /(?<!type )\b(request|get|Agent|globalAgent)\b/,
  'node:net': /(?<!type )\b(connect|createConnection|Socket|Stream)\b/,
};
/** Modules of which only types may be imported. */
const closed = /^(node:(http2|tls|dns|dns\/promises|dgram|quic)|undici|ws|node-fetch|cross-fetch|axios|got)$/;

/** Clients of libraries that would open their own connections, and the option that passes ours. */
const clients: readonly { library: string; call: RegExp; option: RegExp }[] = [
  { library: 'viem', call: /\b(?:http|webSocket|ipc)\(/g, option: /\bfetchFn: fetch\b/ },
  { library: 'viem', call: /\bcreate(?:Public|Wallet|Test)?Client\(/g, option: /\bccipRead: false\b/ },
  { library: '@discordjs/rest', call: /\bnew REST\(/g, option: /\bmakeRequest: requestsBy\(fetch\)/ },
  { library: 'grammy', call: /\bnew (?:Api|Bot)\(/g, option: /\bfetch: / },
  { library: '@mtcute/core', call: /\bnew MtClient\(/g, option: /\btransport\b/ },
  { library: 'nodemailer', call: /\bcreateTransport\(/g, option: /\bgetSocket: / },
  { library: 'stripe', call: /\bnew Stripe\(/g, option: /\bhttpClient: Stripe\.createFetchHttpClient\(fetch\)/ },
  { library: 'oidc-provider', call: /\breturn \{\n {4}adapter:/g, option: /\bfetch: guardedFetch\(/ },
  {
    library: '@opentelemetry/exporter-trace-otlp-http',
    call: /\bnew OTLP\w+\(/g,
    option: /\bhttpAgentOptions: \(\) => agentTo\(/,
  },
];

/** Every library that the server installs, and how it is prevented from connecting by itself. */
export const libraries: Readonly<Record<string, string>> = {
  ...Object.fromEntries(clients.map(({ library }) => [library, 'is handed our fetch or socket'])),
  '@discordjs/ws': 'connects by itself; open-shard.ts has egress check each address before the library learns of it',
  '@simplewebauthn/server':
    'would fetch revocation lists; verify-registration.ts leaves out the formats that name some',
  pg: 'connects to the database that is configured',
  undici: 'is used by egress alone',
  ...Object.fromEntries(
    [
      ...['@noble/curves', '@noble/hashes', '@scure/base', '@scure/btc-signer', '@scure/sr25519', '@ton/core'],
      ...[
        '@mtcute/wasm',
        'discord-api-types',
        'jose',
        'intl-messageformat',
        'jsonata',
        'lru-cache',
        'otpauth',
        'pngjs',
        'uqr',
        'croner',
        'kysely',
      ],
      ...['typebox', '@modelcontextprotocol/server', '@opentelemetry/api', '@opentelemetry/resources'],
      ...['@opentelemetry/sdk-trace', 'ajv', 'ajv-formats', 'fast-json-stringify', 'fastify', 'minisearch', 'pino'],
      'prom-client',
    ].map((name) => [name, 'does not connect in the parts that are used']),
  ),
  'near-api-js': 'writes and signs transactions; none of its providers is used',
};

/** Libraries of which a part connects by itself, and the names of that part. */
const unusedParts: readonly { library: string; part: RegExp }[] = [
  { library: 'near-api-js', part: /\b(JsonRpcProvider|FailoverRpcProvider|Account|connect)\b/ },
  { library: 'jose', part: /\bcreateRemoteJWKSet\b/ },
];

/** Returns files of the server that open connections, or let a library do so, outside of egress. */
export function outboundFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => serverPackages.some((name) => path.startsWith(`packages/${name}/src/`)))
    .filter(({ path }) => !isTestFile(path) && !path.startsWith(wayOut))
    .flatMap((file) => [
      ...(file.path in allowedSockets ? [] : importFaults(file)),
      ...globalFaults(file),
      ...clientFaults(file),
    ]);
}

function importFaults({ path, text }: SourceFile): string[] {
  const faults: string[] = [];
  for (const [, isType, names = '', module = ''] of text.matchAll(
    /^(?:import|export) (type )?([^;']*?)(?: ?from )?'([^']+)'/gm,
  )) {
    const parts = names.replace(/\btype \w+( as \w+)?/g, '').replace(/[{},\s]/g, '');
    if (isType !== undefined || (names.startsWith('{') && parts === '')) continue;
    const opener = openers[module];
    if (closed.test(module)) faults.push(`${path} imports ${module}`);
    else if (opener && (!names.startsWith('{') || opener.test(names))) faults.push(`${path} connects by ${module}`);
    for (const { library, part } of unusedParts) {
      if (module === library && part.test(names.replace(/\btype \w+/g, '')))
        faults.push(`${path} connects by ${module}`);
    }
  }
  for (const [, module = ''] of text.matchAll(/\b(?:import|require|getBuiltinModule)\('([^']+)'\)/g)) {
    if (closed.test(module) || module in openers) faults.push(`${path} imports ${module}`);
  }
  return faults;
}

/** Biome forbids the names themselves, since it resolves bindings. This catches workarounds. */
function globalFaults({ path, text }: SourceFile): string[] {
  const isUsed = /(?<!typeof )\bglobal(?:This)?\??\.(fetch|WebSocket|EventSource)\b|\bglobalThis\[/.test(text);
  return isUsed ? [`${path} uses a global that connects`] : [];
}

function clientFaults({ path, text, imports }: SourceFile): string[] {
  return clients
    .filter(({ library }) => imports.includes(library))
    .flatMap(({ library, call, option }) =>
      [...text.matchAll(call)]
        .filter(({ index }) => !option.test(callAt(text, index)))
        .map(([found]) => `${path} lets ${library} connect by itself: ${found.split('\n')[0]}`),
    );
}

/** Returns the text of a call or object from its name to the closing bracket. */
function callAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if ('({['.includes(text[at] ?? '')) depth += 1;
    if (')}]'.includes(text[at] ?? '')) {
      depth -= 1;
      if (depth === 0) return text.slice(from, at + 1);
    }
  }
  return text.slice(from);
}

/** Returns server libraries without a declaration of how they are prevented from connecting. */
export function unknownLibraries(): string[] {
  return serverPackages.flatMap((name) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), 'utf8'));
    return Object.keys(dependencies).filter((one) => !one.startsWith('@latchkey/') && !(one in libraries));
  });
}
