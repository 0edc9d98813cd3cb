import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { volume } from '@latchkey/test-kit';
import { startTestServer, type TestServer } from '../../harness/test-server.ts';
import { type Client, compiledClients, npmPackages, openapiGenerator, typescriptClients } from './languages.ts';

const samples = join(import.meta.dirname, 'samples');
const isDeep = volume(0, 1) === 1;
const isHere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const missing = (programs: readonly string[]) => {
  const absent = isDeep ? programs.filter((program) => !isHere(program)) : [];
  return absent.length > 0 && `not on this machine: ${absent.join(', ')}`;
};
const skip = !isDeep && 'for npm run test:deep';

/** What every sample prints of its five calls, one of them with an API key and one with a user's token. */
const printed = 'pong world 0 404\n';

/** The compiler's options in a strict project whose bundler resolves imports. */
const strict = {
  compilerOptions: {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    noEmit: true,
  },
  files: ['sample.ts'],
};

describe('clients that generators make of the server’s description', { skip }, () => {
  let server: TestServer;
  let home: string;
  let env: Record<string, string | undefined>;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'latchkey-generated-'));
    server = await startTestServer();
    await writeFile(join(home, 'openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text());
    env = {
      ...process.env,
      // Where the tools keep their own settings and downloads; tests get another one.
      HOME: userInfo().homedir,
      PATH: [dirname(process.execPath), join(home, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      LATCHKEY_URL: server.url,
      API_KEY: (await server.apiKey(['$all'])).key,
      TOKEN: (await server.aeToken('DIS#USER#generated')).replace('AE ', ''),
    };
  });
  after(async () => {
    await server?.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Runs a command in a folder and returns what it prints. Throws everything that it printed if it fails. */
  async function run(folder: string, command: string): Promise<string> {
    const [program = '', ...args] = command.split(' ');
    try {
      return (await promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} failed:\n${(stdout + stderr).slice(-4_000)}`, { cause: error });
    }
  }

  async function build({ files, commands }: Client, folder: string): Promise<string> {
    for (const [place, sample] of Object.entries(files)) {
      await mkdir(dirname(join(folder, place)), { recursive: true });
      await cp(join(samples, sample), join(folder, place));
    }
    let output = '';
    for (const command of commands) output = await run(folder, command);
    return output;
  }

  describe('openapi-generator', { skip: missing(['java', 'mvn']) }, () => {
    before(() => run(home, `mvn -q -B dependency:copy -Dartifact=${openapiGenerator} -DoutputDirectory=${home}`));

    for (const client of compiledClients)
      test(`${client.name} compiles and makes five calls`, {
        skip: missing(client.tools),
      }, async () => {
        const folder = join(home, client.generator.split(' ')[0] ?? '');
        const [, name, version] = openapiGenerator.split(':');
        const jar = join(home, `${name}-${version}.jar`);
        await run(home, `java -jar ${jar} generate -i openapi.json -o ${folder} -g ${client.generator}`);
        assert.equal(await build(client, folder), printed);
        // Rust's build alone takes a gigabyte.
        await rm(folder, { recursive: true, force: true });
      });
  });

  describe('generators of TypeScript', () => {
    before(async () => {
      await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
      const quietly = '--ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error';
      await run(home, `npm install ${quietly} ${npmPackages.join(' ')}`);
    });

    for (const client of typescriptClients)
      test(`${client.name} passes the strict compiler, is bundled and makes five calls`, async () => {
        const folder = await mkdtemp(join(home, 'typescript-'));
        await cp(join(home, 'openapi.json'), join(folder, 'openapi.json'));
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict));
        assert.equal(await build(client, folder), printed);
      });
  });
});
