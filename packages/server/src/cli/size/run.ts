import { need, numberOf } from '../command.ts';
import { print } from '../print.ts';
import { recorded } from './measured.ts';

export interface SizeOptions {
  communities: string | undefined;
  members: string | undefined;
  changesPerMonth: string | undefined;
  chains: string | undefined;
  blockSeconds: string | undefined;
  servers: string | undefined;
  workers: string | undefined;
}

/** Prints what an installation of this size needs, from recorded figures alone, and what is not known. */
export function runSize(options: SizeOptions): void {
  const communities = numberOf(need(options.communities, '--communities N'), 0, 'communities');
  const members = numberOf(need(options.members, '--members N'), 0, 'members');
  const changes = numberOf(options.changesPerMonth, 0, 'changes-per-month');
  const chains = numberOf(options.chains, 1, 'chains');
  const blockSeconds = numberOf(options.blockSeconds, 2, 'block-seconds');
  const servers = numberOf(options.servers, 2, 'servers');
  const workers = numberOf(options.workers, 2, 'workers');
  const size = { communities, members, changes, chains, blockSeconds, servers, workers };
  for (const line of describeSize(size)) print(line);
}

interface Size {
  communities: number;
  /** Of all communities together. */
  members: number;
  /** Roles granted or removed in a month. */
  changes: number;
  chains: number;
  blockSeconds: number;
  servers: number;
  workers: number;
}

const daySeconds = 86_400;

/** The calls that the nodes of all chains must answer in a day. */
function callsOf({ communities, members, chains, blockSeconds }: Size): { follow: number; resync: number } {
  const { pollsPerSecond, callsPerBlock, membersPerRead, fewestReads } = recorded;
  const blocks = daySeconds / Math.max(blockSeconds, 1);
  const perCommunity = fewestReads.value + Math.ceil(members / Math.max(communities, 1) / membersPerRead.value);
  return {
    follow: daySeconds * pollsPerSecond.value + blocks * callsPerBlock.value,
    resync: communities * perCommunity * chains,
  };
}

/** The connections that PostgreSQL must allow. */
function connectionsOf({ servers, workers }: Size): number {
  const { connectionsPerProcess, directPerProcess, signerConnections, spareConnections } = recorded;
  const each = connectionsPerProcess.value + directPerProcess.value;
  return (servers + workers) * each + signerConnections.value + spareConnections.value;
}

export function describeSize(size: Size): string[] {
  const { communities, members, changes, chains, servers, workers } = size;
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
    defaultConnections,
  } = recorded;
  const { follow, resync } = callsOf(size);
  const connections = connectionsOf(size);
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
    `  connections ${counted(connections)} for ${several(servers, 'server')}, ${several(workers, 'worker')} and a signer: ${
      connections > defaultConnections.value
        ? `raise max_connections from ${defaultConnections.value}, or put a pooler in front`
        : `max_connections of ${defaultConnections.value} is enough`
    }`,
    '  machines    3, of which one may fail: docs/high-availability.md. With 2, a person decides who takes over.',
    'Processes',
    '  machines    2, so that one may fail, with a server and a worker each',
    `  worker      ${workerMegabytes.value} MB of memory was the most that one took, at up to ${counted(mostCommunities.value)} communities of 4 members each`,
    'Discord',
    `  shards      at least ${counted(shards)}; Discord recommends how many. Workers share them.`,
    `  resync      ${counted(calls)} calls at least, ${lasting(resyncSeconds)} at ${callsPerSecond.value} a second: resync less often than that`,
    `  first roles ${lasting(firstGrantSeconds)} at best, if a third of the members get one`,
    'Nodes of chains',
    `  following   ${counted(follow)} calls a day for each EVM chain at most, ${counted(follow * chains)} for ${chains}, however many contracts are named`,
    `  resync      ${counted(resync)} calls at most, if every community has five rules on ${chains === 1 ? 'the chain' : 'each chain'}`,
    '  quota       plan twice the sum of a day, on two endpoints of different providers for each chain',
    'Not known',
    ...(isBeyond
      ? [
          `  This is more than was measured (${counted(mostCommunities.value)} communities, ${counted(mostMembers.value)} members): the figures above are extrapolated.`,
        ]
      : []),
    '  How many requests a second your people and applications make, and so how many servers: add one when requests wait.',
    '  How many calls follow from transfers: each re-check of a member is a call or two. Watch latchkey_endpoint_reads_total.',
    '  Chains other than EVM announce no transfers and are read at resyncs and when members ask; their services have quotas of their own.',
    `  More than one shard was not run: ${counted(shards)} is arithmetic from Discord’s limit.`,
    '',
    'The figures and how they were measured: docs/sizing.md',
  ];
}

function counted(value: number): string {
  return value.toLocaleString('en-US');
}

function several(count: number, what: string): string {
  return `${counted(count)} ${what}${count === 1 ? '' : 's'}`;
}

function gigabytes(bytes: number): string {
  const size = bytes / 1e9;
  return size < 0.1 ? 'less than 0.1 GB' : `${size.toFixed(1)} GB`;
}

function lasting(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} minutes` : `${(seconds / 3_600).toFixed(1)} hours`;
}
