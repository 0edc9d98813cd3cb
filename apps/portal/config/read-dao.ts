import { readFileSync } from 'node:fs';
import { toChecksumAddress } from '@latchkey/chains/evm/checksum-address';
import type { GovernanceContracts } from '../src/components/live-contracts/read-contracts.ts';
import { isObject } from '../src/is-object.ts';
import { type SettingKind, type Share, settings, shareLists } from './dao-settings.ts';

export type Value = string | number;
export type ShareList = keyof typeof shareLists;

/** The configuration of the DAO pages. Empty while it is turned off. */
export interface Dao {
  enabled: boolean;
  /** The configured values, by the paths of `settings`. */
  values: ReadonlyMap<string, Value>;
  shares: ReadonlyMap<ShareList, readonly Share[]>;
}

const ofKind: Readonly<Record<SettingKind, { fits(value: unknown): boolean; words: string }>> = {
  text: {
    fits: (value) => isText(value, /^\p{L}[^\n|<>{}`]{0,199}$/u),
    words: 'a line that starts with a letter and has no | < > { } or `',
  },
  word: { fits: (value) => isText(value, /^[\w.:$-]{1,60}$/), words: 'one word' },
  url: { fits: (value) => isText(value, /^https:\/\/[^\s()<>{}|`]+$/), words: 'an address that starts with https://' },
  address: { fits: isAddress, words: 'an address of 0x and 40 hexadecimal digits whose checksum (EIP-55) is right' },
  chain: { fits: (value) => isWhole(value) && value > 0, words: 'the chain id of an EVM chain' },
  whole: { fits: isWhole, words: 'a whole number' },
  amount: { fits: (value) => isText(value, /^\d+(\.\d+)?$/), words: 'a decimal in quotation marks, such as "12.5"' },
  percent: { fits: isPercent, words: 'a number above 0 and up to 100' },
  days: { fits: (value) => isWhole(value), words: 'a whole number of days' },
  months: { fits: (value) => isWhole(value) && value > 0, words: 'a whole number of months' },
  date: { fits: isDate, words: 'a day such as 2030-01-31' },
};

/** Parses and checks a configuration. Reports all problems at once, each with its path. */
export function readDao(json: unknown): Dao {
  const problems: string[] = [];
  const given = flatten(json, '');
  const known = new Set(['enabled', ...Object.keys(settings), ...Object.keys(shareLists)]);
  for (const path of given.keys()) if (!known.has(path)) problems.push(`${path} is not a setting.`);
  for (const path of known) if (!given.has(path)) problems.push(`${path} is missing; write null for not configured.`);
  const enabled = given.get('enabled');
  if (typeof enabled !== 'boolean') problems.push('enabled must be true or false.');
  const values = readValues(given, problems);
  const shares = readShares(given, problems);
  checkTogether(values, problems);
  if (problems.length > 0) throw new Error(`dao.json cannot be used.\n${problems.join('\n')}`);
  return enabled === true ? { enabled, values, shares } : { enabled: false, values: new Map(), shares: new Map() };
}

export function loadDao(): Dao {
  return readDao(JSON.parse(readFileSync(new URL('./dao.json', import.meta.url), 'utf8')));
}

/** Returns the contracts that a page can read live; undefined without a chain, or without an address on it. */
export function governanceContracts({ values }: Dao): GovernanceContracts | undefined {
  const chainId = values.get('contracts.chainId');
  const names = ['governor', 'timelock', 'treasury'].filter((name) => values.has(`contracts.${name}`));
  if (typeof chainId !== 'number' || names.length === 0) return undefined;
  return { chainId, ...Object.fromEntries(names.map((name) => [name, String(values.get(`contracts.${name}`))])) };
}

function flatten(value: unknown, path: string): Map<string, unknown> {
  if (!isObject(value) || path in settings) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, path === '' ? name : `${path}.${name}`)]),
  );
}

function readValues(given: ReadonlyMap<string, unknown>, problems: string[]): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [path, { kind }] of Object.entries(settings)) {
    const value = given.get(path) ?? null;
    if (value === null) continue;
    if ((typeof value === 'string' || typeof value === 'number') && ofKind[kind].fits(value)) values.set(path, value);
    else problems.push(`${path} must be ${ofKind[kind].words}, or null.`);
  }
  return values;
}

function readShares(given: ReadonlyMap<string, unknown>, problems: string[]): Map<ShareList, readonly Share[]> {
  const lists = new Map<ShareList, readonly Share[]>();
  for (const path of Object.keys(shareLists).filter(isShareList)) {
    const list = given.get(path) ?? null;
    if (list === null) continue;
    const parts = Array.isArray(list) ? list.map(readShare) : [];
    const read = parts.filter((part) => part !== undefined);
    if (parts.length === 0 || read.length < parts.length)
      problems.push(`${path} must be null or a list of { group, percent, vestingMonths, cliffMonths }.`);
    else if (Math.abs(read.reduce((sum, { percent }) => sum + percent, 0) - 100) > 1e-6)
      problems.push(`The percentages of ${path} must add up to 100.`);
    else lists.set(path, read);
  }
  return lists;
}

function readShare(value: unknown): Share | undefined {
  if (!isObject(value)) return undefined;
  const { group, percent, vestingMonths = null, cliffMonths = null, ...more } = value;
  if (Object.keys(more).length > 0 || typeof group !== 'string' || !ofKind.text.fits(group)) return undefined;
  if (!isPercent(percent) || !isMonths(vestingMonths) || !isMonths(cliffMonths)) return undefined;
  if ((cliffMonths ?? 0) > (vestingMonths ?? 0)) return undefined;
  return { group, percent, vestingMonths, cliffMonths };
}

/** Checks what single values cannot show. */
function checkTogether(values: ReadonlyMap<string, Value>, problems: string[]): void {
  const needs = (path: string, other: string) => {
    if (values.has(path) && !values.has(other)) problems.push(`${path} needs ${other}: it has no meaning without it.`);
  };
  needs('token.address', 'token.chainId');
  needs('membership.passAddress', 'token.chainId');
  for (const name of ['governor', 'timelock', 'treasury']) needs(`contracts.${name}`, 'contracts.chainId');
  needs('claim.closesOn', 'claim.opensOn');
  const [opensOn, closesOn] = [values.get('claim.opensOn'), values.get('claim.closesOn')];
  if (opensOn !== undefined && closesOn !== undefined && closesOn < opensOn)
    problems.push('claim.closesOn is before claim.opensOn.');
  const stewards = values.get('charter.stewards');
  if (typeof stewards === 'number' && stewards % 2 === 0)
    problems.push('charter.stewards must be odd, so that a vote of the board cannot be tied.');
}

function isShareList(path: string): path is ShareList {
  return Object.hasOwn(shareLists, path);
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 100;
}

function isMonths(value: unknown): value is number | null {
  return value === null || isWhole(value);
}

// A published address with one wrong digit loses money, so the checksum form is required.
function isAddress(value: unknown): value is string {
  if (!isText(value, /^0x[0-9a-fA-F]{40}$/)) return false;
  return toChecksumAddress(Buffer.from(value.slice(2), 'hex')) === value;
}

function isDate(value: unknown): value is string {
  if (!isText(value, /^\d{4}-\d{2}-\d{2}$/)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
