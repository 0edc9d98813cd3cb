// Lists what is in the image, as CycloneDX: the packages of the lock file that production needs, and Node. npm adds a random number and
// the time, which would make every build another one.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const [target = join(root, 'sbom.cdx.json'), lockFolder = root] = process.argv.slice(2);
const words = [
  'sbom',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--omit=dev',
  '--package-lock-only',
  '--legacy-peer-deps',
];
const { serialNumber: _random, ...sbom } = JSON.parse(
  execFileSync('npm', words, {
    cwd: lockFolder,
    encoding: 'utf8',
    maxBuffer: 1e8,
    shell: process.platform === 'win32',
  }),
);
const epoch = process.env.SOURCE_DATE_EPOCH;
const { timestamp: _now, tools: _tools, ...metadata } = sbom.metadata;
const [, version] =
  /latchkeyVersion = '([^']+)'/.exec(readFileSync(join(root, 'packages/server/src/version.ts'), 'utf8')) ?? [];
const node = {
  'bom-ref': `node@${process.versions.node}`,
  type: 'application',
  name: 'node',
  version: process.versions.node,
  purl: `pkg:generic/node@${process.versions.node}`,
};
/**
 * @param {Record<string, string>} one
 * @param {Record<string, string>} other
 */
const byName = (one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1);
const text = JSON.stringify(
  {
    ...sbom,
    metadata: {
      ...(epoch !== undefined && epoch !== '' && { timestamp: new Date(Number(epoch) * 1000).toISOString() }),
      ...metadata,
      component: { ...metadata.component, name: 'latchkey', version, purl: `pkg:generic/latchkey@${version}` },
    },
    components: [...sbom.components, node].toSorted(byName),
  },
  undefined,
  1,
);
writeFileSync(target, `${text}\n`);
