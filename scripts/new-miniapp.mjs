import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from './problem.mjs';

const template = fileURLToPath(new URL('miniapp-template', import.meta.url));

/**
 * Writes a new mini-app into a folder, which must be empty or not exist.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function newMiniApp([name, ...rest]) {
  if (name === undefined || rest.length > 0) throw new Problem('Name one folder: npm run new-miniapp -- my-mini-app');
  const folder = resolve(name);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Problem(`The folder ${name} is not empty. Name one that does not exist yet.`);
  cpSync(template, folder, { recursive: true });
  const description = {
    name: basename(folder).toLowerCase(),
    private: true,
    type: 'module',
    engines: { node: '>=24' },
  };
  const scripts = { start: 'node mini-app.ts' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...description, scripts }, undefined, 2)}\n`);
  console.log(`Your mini-app is in ${name}. Its README.md says how to run and register it.`);
  return 0;
}
