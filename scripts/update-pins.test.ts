import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readYaml } from '@latchkey/test-kit';
import { filesWithPins, type Registry, updatePins } from './update-pins.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflows = filesWithPins.filter((path) => path.startsWith('.github/'));
const digest = /^(?:[\w.-]+\/)*[\w.-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string> }>;
}

describe('what others publish and this project runs', () => {
  test('is pinned: every action by commit, with the release it is', () => {
    assert.ok(workflows.length >= 3);
    for (const path of workflows)
      for (const [line] of read(path).matchAll(/^.*\buses:.*$/gm))
        assert.match(line, /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, path);
  });

  test('is pinned: every image by digest', () => {
    const inDockerfile = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, image]) => image);
    assert.equal(inDockerfile.length, 2);
    for (const [, base] of read('Dockerfile').matchAll(/^FROM (\S+)/gm)) assert.match(base ?? '', /^\$\{\w+_IMAGE\}$/);
    const inFiles = filesWithPins
      .flatMap((path) => [...read(path).matchAll(/(?:^ +image|_IMAGE): (\S+)$/gm)])
      .map(([, image]) => image)
      // Our own image, which is built from the Dockerfile.
      .filter((image) => !/^(?:latchkey|\$\{LATCHKEY_IMAGE:-latchkey\})$/.test(image ?? ''));
    assert.ok(inFiles.length >= 7, String(inFiles));
    for (const image of [...inDockerfile, ...inFiles]) assert.match(image ?? '', digest);
  });

  test('may write only in the jobs that have to', () => {
    const writing = workflows.flatMap((path) => {
      const [{ permissions, jobs }] = readYaml(read(path)) as [Workflow];
      assert.deepEqual(permissions, { contents: 'read' }, path);
      return Object.entries(jobs).flatMap(([name, job]) => {
        const rights = Object.entries(job.permissions ?? {}).filter(([, right]) => right !== 'read');
        return rights.map(([right]) => `${path.split('/').at(-1)} ${name} ${right}`);
      });
    });
    assert.deepEqual(writing.toSorted(), [
      'release.yml build packages',
      'release.yml image attestations',
      'release.yml image id-token',
      'release.yml image packages',
      'release.yml package attestations',
      'release.yml package contents',
      'release.yml package id-token',
      'update-pins.yml update actions',
      'update-pins.yml update contents',
      'update-pins.yml update pull-requests',
    ]);
  });

  test('comes from GitHub itself as far as actions go', () => {
    const owners = workflows.flatMap((path) => [...read(path).matchAll(/uses: ([\w-]+)\//g)].map(([, owner]) => owner));
    assert.deepEqual([...new Set(owners)], ['actions']);
  });
});

describe('updating the pins', () => {
  const commit = (digit: string) => digit.repeat(40);
  const sha = (digit: string) => `sha256:${digit.repeat(64)}`;
  const registry: Registry = {
    tagsOf: () =>
      new Map([
        ['v2.0.0', commit('9')],
        ['v1.10.0', commit('3')],
        ['v1.9.0', commit('2')],
        ['v1.10.1-beta', commit('4')],
        ['v1', commit('3')],
        ['v1.2.0', commit('1')],
      ]),
    digestOf: (image) => (image === 'library/debian:bookworm-slim' ? sha('b') : sha('a')),
  };

  test('moves an action to the newest release of its major version', () => {
    assert.equal(
      updatePins(`- uses: actions/checkout@${commit('1')} # v1.2.0\n- uses: a/b/c@${commit('2')} # v1.9.0\n`, registry),
      `- uses: actions/checkout@${commit('3')} # v1.10.0\n- uses: a/b/c@${commit('3')} # v1.10.0\n`,
    );
  });

  test('moves an image to the digest that its tag has now, and leaves all else alone', () => {
    const text = (one: string, other: string) =>
      `ARG NODE_IMAGE=node:24-slim@${one}\n  image: library/debian:bookworm-slim@${other}\n  image: latchkey\n# x@y\n`;
    assert.equal(updatePins(text(sha('0'), sha('1')), registry), text(sha('a'), sha('b')));
  });

  test('stops when a release is no longer the commit that was pinned', () => {
    assert.throws(
      () => updatePins(`uses: actions/checkout@${commit('5')} # v1.2.0`, registry),
      /actions\/checkout v1\.2\.0 is pinned at 5+, but is 1+ at GitHub/,
    );
    assert.throws(
      () => updatePins(`uses: actions/checkout@${commit('5')} # v1.3.0`, registry),
      /but is gone at GitHub/,
    );
  });

  test('finds every pin of the files as they are', () => {
    const requests: string[] = [];
    const listing: Registry = {
      tagsOf: (repository) => {
        requests.push(repository);
        return { get: () => commit('7'), keys: () => ['v1.0.0'].values() } as unknown as ReadonlyMap<string, string>;
      },
      digestOf: (image) => {
        requests.push(image);
        return sha('7');
      },
    };
    for (const path of filesWithPins)
      updatePins(read(path).replaceAll(/@[0-9a-f]{40} #/g, `@${commit('7')} #`), listing);
    assert.deepEqual([...new Set(requests)].toSorted(), [
      'actions/attest-build-provenance',
      'actions/checkout',
      'actions/setup-node',
      'caddy:2.10',
      'debian:bookworm-slim',
      'docker/buildkit-syft-scanner:stable-1',
      'edoburu/pgbouncer:v1.24.1-p1',
      'grafana/grafana:12.1.0',
      'moby/buildkit:v0.33.1',
      'node:24.21.0-bookworm-slim',
      'postgres:17-bookworm',
      'prom/alertmanager:v0.28.1',
      'prom/blackbox-exporter:v0.27.0',
      'prom/prometheus:v3.5.0',
    ]);
  });
});
