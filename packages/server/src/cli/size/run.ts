import { need, numberOf } from '../command.ts';
import { print } from '../print.ts';
import { recorded } from './measured.ts';

export interface SizeOptions {
  communities: string | undefined;
  members: string | undefined;
  changesPerMonth: string | undefined;
}

/** Prints what an installation of this size needs, from recorded figures alone, and what is not known. */
export function runSize(options: SizeOptions): void {
  const communities = numberOf(need(options.communities, '--communities N'), 0, 'communities');
  const members = numberOf(need(options.members, '--members N'), 0, 'members');
  const changes = numberOf(options.changesPerMonth, 0, 'changes-per-month');
  for (const line of describeSize({ communities, members, changes })) print(line);
}

interface Size {
  communities: number;
  /** Of all communities together. */
  members: number;
  /** Roles granted or removed in a month. */
  changes: number;
}

export function describeSize({ communities, members, changes }: Size): string[] {
  const {
    bytesPerMember,
    bytesPerRoleChange,
    bytesPerChangeItem,
    indexShare,
    workerMegabytes,
    mostCommunities,
    mostMembers,
    serversPerShard,
    membersPerCall,
    callsPerSecond,
  } = recorded;
  const now = members * bytesPerMember.value;
  const perYear = changes * 12 * bytesPerRoleChange.value;
  const items = changes * 3 * bytesPerChangeItem.value;
  const inYear = now + perYear + items;
  const shards = Math.ceil(communities / serversPerShard.value);
  const calls = communities * Math.ceil(members / communities / membersPerCall.value);
  const resyncSeconds = calls / callsPerSecond.value;
  const firstGrantSeconds = members / 3 / callsPerSecond.value;
  const isBeyond = communities > mostCommunities.value || members > mostMembers.value;
  return [
    `${counted(communities)} communities with ${counted(members)} members in all, ${counted(changes)} role changes a month`,
    '',
    'Database',
    `  disk        ${gigabytes(now)} now, ${gigabytes(inYear)} in a year, without write-ahead log, vacuum and backups: plan twice that`,
    `  memory      ${gigabytes(inYear * indexShare.value)} hold the indexes, ${gigabytes(inYear)} everything`,
    '  machines    2: one with a standby that takes over',
    'Processes',
    '  machines    2, so that one may fail, with a server and a worker each',
    `  worker      ${workerMegabytes.value} MB of memory was the most that one took, at ${counted(mostCommunities.value)} communities`,
    'Discord',
    `  shards      at least ${counted(shards)}; Discord recommends how many. Workers share them.`,
    `  resync      ${counted(calls)} calls at least, ${lasting(resyncSeconds)} at ${callsPerSecond.value} a second: resync less often than that`,
    `  first roles ${lasting(firstGrantSeconds)} at best, if a third of the members get one`,
    'Not known',
    ...(isBeyond
      ? [
          `  This is more than was measured (${counted(mostCommunities.value)} communities, ${counted(mostMembers.value)} members): the figures above are extrapolated.`,
        ]
      : []),
    '  How many requests a second your people and applications make, and so how many servers: add one when requests wait.',
    '  How many calls your nodes must answer: it depends on the chains, rules and how often balances change. Watch latchkey_endpoint_reads_total.',
    `  More than one shard was not run: ${counted(shards)} is arithmetic from Discord’s limit.`,
    '',
    'The figures and how they were measured: docs/sizing.md',
  ];
}

function counted(value: number): string {
  return value.toLocaleString('en-US');
}

function gigabytes(bytes: number): string {
  const size = bytes / 1e9;
  return size < 0.1 ? 'less than 0.1 GB' : `${size.toFixed(1)} GB`;
}

function lasting(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} minutes` : `${(seconds / 3_600).toFixed(1)} hours`;
}
