// Looks up what the pins of the workflows, the Dockerfile and the deployment files point at today, and writes it into them:
//   node scripts/update-pins.ts
// It needs git and docker buildx, and nothing that npm installs. .github/workflows/update-pins.yml runs it every week.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where pins are looked up. */
export interface Registry {
  /** The commit of each tag of a repository on GitHub. */
  tagsOf(repository: string): ReadonlyMap<string, string>;
  /** Returns the current digest of an image's tag, of the index that covers all platforms. */
  digestOf(image: string): string;
}

const root = resolve(import.meta.dirname, '..');

/** The files that may refer to an action or an image, relative to the root. */
export const filesWithPins = globSync(['.github/workflows/*.yml', 'Dockerfile', 'deploy/**/*.yaml'], {
  cwd: root,
}).sort();

const action = /(?<=uses: )([\w.-]+\/[\w.-]+)((?:\/[\w./-]+)?)@([0-9a-f]{40}) # (v(\d+)\.\d+\.\d+)/g;
const image = /((?:[\w.-]+\/)*[\w.-]+:[\w.-]+)@sha256:[0-9a-f]{64}/g;

/** Moves actions to the newest release of their major version, and images to the current digest of their tag. */
export function updatePins(text: string, registry: Registry): string {
  return text
    .replace(action, (_pin, repository: string, path: string, commit: string, version: string, major: string) => {
      const tags = registry.tagsOf(repository);
      // Releases do not move. One that did may be an attack, so a maintainer has to look.
      if (tags.get(version) !== commit)
        throw new Error(
          `${repository} ${version} is pinned at ${commit}, but is ${tags.get(version) ?? 'gone'} at GitHub. Find out why before you change the pin.`,
        );
      const newest = newestOf([...tags.keys()].filter((tag) => new RegExp(`^v${major}\\.\\d+\\.\\d+$`).test(tag)));
      return `${repository}${path}@${tags.get(newest)} # ${newest}`;
    })
    .replace(image, (_pin, name: string) => `${name}@${registry.digestOf(name)}`);
}

function newestOf(versions: readonly string[]): string {
  const [newest = ''] = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return newest;
}

const outside: Registry = {
  tagsOf: (repository) => {
    const lines = run('git', ['ls-remote', '--tags', `https://github.com/${repository}`]).split('\n');
    // An annotated tag has a second line, marked ^{}, for the commit that it points at.
    const pairs = lines.map((line) => /^([0-9a-f]{40})\trefs\/tags\/(\S+?)(\^\{\})?$/.exec(line));
    const found = pairs.flatMap((pair) => (pair === null ? [] : [{ commit: pair[1] ?? '', tag: pair[2] ?? '' }]));
    return new Map(found.map(({ tag, commit }) => [tag, commit]));
  },
  digestOf: (name) => {
    const manifest = JSON.parse(
      run('docker', ['buildx', 'imagetools', 'inspect', name, '--format', '{{json .Manifest}}']),
    );
    const digest = Object(manifest).digest;
    if (!/^sha256:[0-9a-f]{64}$/.test(String(digest))) throw new Error(`The registry gave no digest for ${name}.`);
    return String(digest);
  },
};

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

if (import.meta.main)
  for (const path of filesWithPins) {
    const file = join(root, path);
    const before = readFileSync(file, 'utf8');
    const after = updatePins(before, outside);
    if (after === before) continue;
    writeFileSync(file, after);
    process.stdout.write(`${path} has new pins.\n`);
  }
