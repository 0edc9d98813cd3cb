import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import { type Packed, packAll } from './pack.ts';
import { newProject, type Project, readSamples } from './project.ts';
import { publishable } from './publishable.ts';
import { root, runNpm } from './run-tool.ts';

const samplesOf = async (folder: string, language: string) =>
  (await readSamples(join(root, 'packages', folder, 'README.md')))
    .filter((sample) => sample.language === language)
    .map(({ text }) => text);

/** Installs from npm, or skips the test with a message. */
async function install(t: TestContext, folder: string, packages: readonly string[]): Promise<boolean> {
  try {
    await runNpm(folder, ['install', '--ignore-scripts', '--prefer-offline', ...packages], { isOnline: true });
    return true;
  } catch (error) {
    t.skip(`npm could not install ${packages.join(' ')}: ${String(error).split('\n')[1] ?? ''}`);
    return false;
  }
}

// They download other versions of Node and Next.js. `packages.slow.test.ts` does the same with the installed Node and with Vite.
const skip = volume(0, 1) === 0 && 'for npm run test:deep';
describe('the packages under other versions of Node and in other builds', { skip }, () => {
  let home: string;
  let packed: Packed[];
  before(async () => {
    await mkdir(join(root, 'dist'), { recursive: true });
    home = await mkdtemp(join(root, 'dist/runtimes-'));
    packed = await packAll(publishable, home);
  });
  after(() => rm(home, { recursive: true, force: true }));
  const tarballs = () => packed.map(({ tarball }) => tarball);

  for (const version of ['20.3', '20', '22', '24'])
    test(`run under Node ${version}`, async (t) => {
      await using tools = await newProject([]);
      const name = `node-${process.platform}-${process.arch}`;
      if (!(await install(t, tools.folder, [`${name}@${version}`]))) return;
      const node = join(tools.folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
      await using project = await newProject(tarballs(), node);
      await runSamples(project);
      t.diagnostic(await project.run('version.js'));
    });

  test('publint and Are the Types Wrong find nothing in the libraries', async (t) => {
    await using tools = await newProject([]);
    if (!(await install(t, tools.folder, ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5']))) return;
    for (const { name, tarball } of packed.filter(({ files }) => files.includes('dist/cjs/index.js'))) {
      const found = await tools.run('node_modules/publint/src/cli.js', {}, [tarball, '--strict']);
      assert.match(found, /All good!/, name);
      // It exits with an error when it finds a problem.
      await tools.run('node_modules/@arethetypeswrong/cli/dist/index.js', {}, [tarball, '--no-emoji']);
    }
  });

  test('Next.js builds a page with the gate, its handlers and the client', async (t) => {
    await using project = await newProject(tarballs());
    if (!(await install(t, project.folder, ['next', 'react', 'react-dom']))) return;
    const [page = ''] = await samplesOf('gate', 'tsx');
    const [gate = ''] = await samplesOf('gate', 'js');
    const hooks = (await samplesOf('client', 'js')).at(-1) ?? '';
    const layout = 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n';
    await project.write('app/layout.jsx', layout);
    await project.write('app/page.jsx', `'use client';\n${page}export default Page;\n`);
    await project.write('gate.js', gate);
    await project.write(
      'app/api/holder/route.js',
      `import { nextHolder } from '@latchkey/gate/next';\nimport { gate } from '../../../gate.js';\nexport const GET = nextHolder(gate, { visitor: () => undefined });\nexport const dynamic = 'force-dynamic';\n`,
    );
    await project.write('app/api/hooks/route.js', hooks);
    const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', HOME: project.folder };
    assert.match(await project.run('node_modules/next/dist/bin/next', env, ['build']), /\/api\/holder/);
  });
});

async function runSamples(project: Project): Promise<void> {
  const names = ['mini-app.js', 'start.js', 'mini-app.test.js'];
  for (const [index, text] of (await samplesOf('miniapp', 'js')).entries())
    await project.write(names[index] ?? '', text);
  await project.run('mini-app.test.js');
  await project.write('version.js', 'console.log(process.version);');
  await project.write(
    'required.cjs',
    `const { ApiError, createClient } = require('@latchkey/client');
const { createGate } = require('@latchkey/gate');
const { expressGate } = require('@latchkey/gate/express');
const { createMiniApp } = require('@latchkey/miniapp');
const { serve } = require('@latchkey/miniapp/node');
console.log([ApiError, createClient, createGate, expressGate, createMiniApp, serve].map((each) => typeof each).join());`,
  );
  assert.equal(await project.run('required.cjs'), `${Array(6).fill('function').join()}\n`);
  await project.write(
    'client.js',
    `import { ApiError, createClient, eachItem, verifyWebhook } from '@latchkey/client';
import { createGate } from '@latchkey/gate';
const answers = [Response.json({}, { status: 503, headers: { 'retry-after': '0' } }), Response.json({ items: [{ name: 'a' }] })];
const call = createClient({ baseUrl: 'http://a.test', fetch: async () => answers.shift() });
for await (const { name } of eachItem(call, 'GET /client-apps')) console.log(name);
await verifyWebhook({ headers: {}, body: '' }, 'whsec_AAAA').catch((error) => console.log(error.name));
const gate = createGate({ baseUrl: 'http://a.test', apiKey: 'k', rules: [{}], fetch: async () => Response.json({ roles: [{ id: 'm', granted: true }] }) });
console.log((await gate.check({ account: '0x1' })).status, ApiError.name);`,
  );
  assert.equal(await project.run('client.js'), 'a\nWebhookSignatureError\ngranted ApiError\n');
}
