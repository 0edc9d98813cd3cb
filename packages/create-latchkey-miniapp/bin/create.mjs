import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** Something that the person who asked can put right. */
export class CreateProblem extends Error {}

/**
 * @typedef {object} Plan
 * @property {string} template the folder that is copied
 * @property {string} node the versions of Node.js that it runs with
 * @property {Record<string, string>} scripts
 * @property {Record<string, string>} [dependencies]
 */

/**
 * Writes a mini-app into a folder, which must not be there yet or be empty.
 * @param {string} name the folder, from where the command runs
 * @param {Plan} plan
 */
export function createMiniAppFolder(name, { template, node, scripts, dependencies }) {
  const folder = resolve(name);
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    throw new CreateProblem(`The folder ${name} is not empty. Name one that does not exist yet.`);
  cpSync(template, folder, { recursive: true });
  const manifest = {
    name: packageName(basename(folder)),
    private: true,
    type: 'module',
    engines: { node },
    scripts,
    ...(dependencies && { dependencies }),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * The tarball of the library that came along, as a dependency: the library is not on npm yet.
 * @param {string} folder
 * @returns {Record<string, string>}
 */
export function bundledLibrary(folder) {
  const tarball = readdirSync(folder).find((name) => /^latchkey-miniapp-.*\.tgz$/.test(name));
  if (tarball === undefined)
    throw new CreateProblem('This copy of create-latchkey-miniapp is not complete. Install it again.');
  return { '@latchkey/miniapp': `file:./${tarball}` };
}

/** @param {string} folder */
export function readVersion(folder) {
  return String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version);
}

/**
 * A name that npm takes.
 * @param {string} text
 */
function packageName(text) {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'mini-app'
  );
}
