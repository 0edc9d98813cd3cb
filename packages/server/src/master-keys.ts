import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MasterKey, systemRandom } from '@latchkey/db';
import type { Config } from './config.ts';
import { masterKeyFaults } from './config-kinds.ts';

const serverFile = 'master-keys';

type MasterKeys = [MasterKey, ...MasterKey[]];

/** Loads the master keys from the configuration, or from the data folder, where the first start creates one. */
export function loadMasterKeys({ masterKeys, dataDir }: Pick<Config, 'masterKeys' | 'dataDir'>): Promise<MasterKeys> {
  return loadKeys(masterKeys, { variable: 'LATCHKEY_MASTER_KEYS', dataDir, fileName: serverFile });
}

/** Loads the signer's keys, which no other process reads. */
export function loadSignerKeys({ signer, dataDir }: Pick<Config, 'signer' | 'dataDir'>): Promise<MasterKeys> {
  return loadKeys(signer.masterKeys, { variable: 'LATCHKEY_SIGNER_MASTER_KEYS', dataDir, fileName: 'signer-keys' });
}

/** Reads the signer's keys, and never creates one. */
export async function readSignerKeys({
  signer,
  dataDir,
}: Pick<Config, 'signer' | 'dataDir'>): Promise<readonly MasterKey[]> {
  if (signer.masterKeys.length > 0) return parseKeys(signer.masterKeys, 'LATCHKEY_SIGNER_MASTER_KEYS');
  const path = join(dataDir, 'signer-keys');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? [] : parseKeys(splitLines(text), path);
}

/** Reads the servers' keys from the same data folder, if they exist and this process may read them. */
export async function readServerKeyFile({ dataDir }: Pick<Config, 'dataDir'>): Promise<readonly MasterKey[]> {
  const path = join(dataDir, serverFile);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? [] : parseKeys(splitLines(text), path);
}

interface KeySource {
  variable: string;
  dataDir: string;
  fileName: string;
}

async function loadKeys(
  configured: readonly string[],
  { variable, dataDir, fileName }: KeySource,
): Promise<MasterKeys> {
  if (configured.length > 0) return parseKeys(configured, variable);
  const path = join(dataDir, fileName);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text !== undefined) return parseKeys(splitLines(text), path);
  return makeFirstKey(dataDir, path);
}

// Two processes may start on an empty folder at once: linking a finished file into place lets only one of them win.
async function makeFirstKey(dataDir: string, path: string): Promise<MasterKeys> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${systemRandom.id(8)}`;
  await writeFile(draft, `k1:${Buffer.from(systemRandom.bytes(32)).toString('base64')}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return parseKeys(splitLines(await readFile(path, 'utf8')), path);
}

function splitLines(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

function parseKeys(entries: readonly string[], where: string): MasterKeys {
  const [fault] = masterKeyFaults(entries);
  if (fault !== undefined) throw new Error(`${where} ${fault}.`);
  const [first, ...rest] = entries.map((entry): MasterKey => {
    const [id = '', text = ''] = entry.split(':');
    return { id, key: Buffer.from(text, 'base64') };
  });
  if (first === undefined) throw new Error(`No master key found in ${where}.`);
  return [first, ...rest];
}
