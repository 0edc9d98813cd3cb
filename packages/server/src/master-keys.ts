import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MasterKey, systemRandom } from '@latchkey/db';
import type { Config } from './config.ts';

const fileName = 'master-keys';

/** The master keys: from the configuration, else from the data folder, where the first start makes one. */
export async function loadMasterKeys(
  config: Pick<Config, 'masterKeys' | 'dataDir'>,
): Promise<[MasterKey, ...MasterKey[]]> {
  if (config.masterKeys.length > 0) return parseKeys(config.masterKeys, 'LATCHKEY_MASTER_KEYS');
  const path = join(config.dataDir, fileName);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text !== undefined)
    return parseKeys(
      text.split(/\s+/).filter((line) => line !== ''),
      path,
    );
  return makeFirstKey(config.dataDir, path);
}

// Two processes may start on an empty folder at once: linking a finished file into place lets only one of them win.
async function makeFirstKey(dataDir: string, path: string): Promise<[MasterKey, ...MasterKey[]]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${systemRandom.id(8)}`;
  await writeFile(draft, `k1:${Buffer.from(systemRandom.bytes(32)).toString('base64')}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return parseKeys(
    (await readFile(path, 'utf8')).split(/\s+/).filter((line) => line !== ''),
    path,
  );
}

function parseKeys(entries: readonly string[], where: string): [MasterKey, ...MasterKey[]] {
  const keys = entries.map((entry): MasterKey => {
    const [id = '', text = ''] = entry.split(':');
    const key = Buffer.from(text, 'base64');
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32) {
      throw new Error(`A master key in ${where} is malformed. Each must be an id, a colon and 32 bytes in base64.`);
    }
    return { id, key };
  });
  const [first, ...rest] = keys;
  if (first === undefined) throw new Error(`There is no master key in ${where}.`);
  return [first, ...rest];
}
