import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { variables } from '@latchkey/server/facts';
import { readYaml } from '@latchkey/test-kit';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const has = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;
const units = globSync('deploy/systemd/*.service', { cwd: root });
const manifests = globSync('deploy/**/*.yaml', { cwd: root });

/** Names in these files that are settings of other programs, or filled into ours by compose. */
const ofOthers = new Set([
  'LATCHKEY_DATABASE_PASSWORD',
  'LATCHKEY_TENANT_PASSWORD',
  'LATCHKEY_SIGNER_PASSWORD',
  'LATCHKEY_DOMAIN',
  'LATCHKEY_IMAGE',
]);

interface Compose {
  services: Record<
    string,
    { read_only?: boolean; cap_drop?: string[]; environment?: Record<string, string>; image?: string }
  >;
}
interface Manifest {
  kind: string;
  spec?: {
    template?: {
      spec: {
        securityContext: { runAsNonRoot: boolean };
        containers: { securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean } }[];
      };
    };
  };
}

describe('files to install Latchkey with', () => {
  test('every file can be read, and names only settings that exist', () => {
    const files = ['Dockerfile', 'deploy/compose/sample.env', 'deploy/compose/create-roles.sh', ...units, ...manifests];
    for (const path of files) {
      const text = read(path);
      if (path.endsWith('.yaml')) assert.ok(readYaml(text).length > 0, path);
      for (const [name] of text.matchAll(/\b(?:LATCHKEY_[A-Z_]*[A-Z]|DATABASE_URL)\b/g))
        assert.ok(Object.hasOwn(variables, name) || ofOthers.has(name), `${name} in ${path}`);
    }
  });

  test('every file that the image copies is in the clone, and is sent to the builder', () => {
    const ignored = read('.dockerignore').split('\n');
    const copies = [...read('Dockerfile').matchAll(/^COPY (?!--from)(?:--\S+ )*(.+)$/gm)];
    const sources = copies.flatMap(([, words = '']) => words.split(' ').slice(0, -1));
    assert.ok(sources.length > 6);
    for (const source of sources) {
      assert.ok(globSync(source, { cwd: root }).length > 0, source);
      const isSent = ignored.some((line) => line.startsWith('!') && source.startsWith(line.slice(1)));
      assert.ok(isSent, `${source} in .dockerignore`);
    }
  });

  test('the image runs as an ordinary user, says how it is, and installs nothing when it starts', () => {
    const [, last = ''] = read('Dockerfile').split(/^FROM \$\{BASE_IMAGE\}$/m);
    assert.match(last, /^USER 10001:10001$/m);
    assert.match(last, /^HEALTHCHECK .*health\.mjs"\]$/m);
    assert.doesNotMatch(last, /npm|apt-get/);
    assert.match(read('deploy/image/latchkey'), /^exec node /m);
    assert.ok((statSync(join(root, 'deploy/image/latchkey')).mode & 0o111) !== 0);
  });

  test('the image has the Node that the setup pins', () => {
    const { optionalDependencies } = JSON.parse(read('scripts/runtime/package.json'));
    const [, version] = /^ARG NODE_IMAGE=(?:\S+\/)?node:([\d.]+)-/m.exec(read('Dockerfile')) ?? [];
    assert.deepEqual([...new Set(Object.values(optionalDependencies))], [version]);
  });

  test('containers cannot write their root file system, and have no rights to spare', () => {
    const compose = readYaml(read('deploy/compose/compose.yaml'))[0] as Compose;
    for (const name of ['server', 'worker', 'signer']) {
      assert.equal(compose.services[name]?.read_only, true, name);
      assert.deepEqual(compose.services[name]?.cap_drop, ['ALL'], name);
    }
    assert.equal(compose.services.signer?.environment?.LATCHKEY_MASTER_KEYS, undefined);
    for (const { image } of Object.values(compose.services)) assert.doesNotMatch(image ?? '', /:latest$/);
    const deployments = globSync('deploy/kubernetes/*.yaml', { cwd: root })
      .flatMap((path) => readYaml(read(path)) as Manifest[])
      .flatMap(({ kind, spec }) => (kind === 'Deployment' ? (spec?.template?.spec ?? []) : []));
    assert.equal(deployments.length, 3);
    for (const { securityContext, containers } of deployments) {
      assert.equal(securityContext.runAsNonRoot, true);
      for (const one of containers)
        assert.deepEqual(
          [one.securityContext.readOnlyRootFilesystem, one.securityContext.allowPrivilegeEscalation],
          [true, false],
        );
    }
  });

  test('what a compose file or a kustomization names beside itself is there', () => {
    const { resources } = readYaml(read('deploy/kubernetes/kustomization.yaml'))[0] as { resources: string[] };
    for (const path of resources) assert.ok(existsSync(join(root, 'deploy/kubernetes', path)), path);
    for (const path of globSync('deploy/compose/*.yaml', { cwd: root }))
      for (const [, source = ''] of read(path).matchAll(/^ +- (\.[^:]+):\//gm))
        assert.ok(existsSync(join(root, 'deploy/compose', source)), `${source} in ${path}`);
  });

  test('systemd accepts the units', (t) => {
    if (!has('systemd-analyze', '--version')) return t.skip('systemd-analyze is not installed on this machine.');
    for (const path of units) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(root, path)], { encoding: 'utf8' });
      const name = path.split('/').at(-1) ?? path;
      // The program is not installed here, and other units of this machine are none of ours.
      const problems = stderr
        .split('\n')
        .filter((line) => line.includes(name) && !/not executable|Failed to create/.test(line));
      assert.deepEqual(problems, []);
    }
  });

  test('kubectl can build the base', (t) => {
    if (!has('kubectl', '--help')) return t.skip('kubectl is not installed on this machine.');
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.equal(stdout.match(/^kind: Deployment$/gm)?.length, 3);
  });
});
